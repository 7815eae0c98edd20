import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { IconButton } from '../../parts/button.tsx'
import { isFocusLost, keepTabInside } from '../../parts/focus.ts'

interface Props {
  readonly title: string
  /** What assistive technology calls it, if that says more than the title. */
  readonly label?: string
  readonly subtitle: string
  readonly className?: string
  /** The element beside which it opens. */
  readonly anchor: () => Element | null
  readonly onClose: () => void
  /** Makes it a form. */
  readonly onSubmit?: () => void
  readonly children: ComponentChildren
}

/** Pixels between the popover and what it belongs to, and the window's edge. */
const AWAY = 8

/** Whether it is a sheet over the page: on phones. */
const isSheet = (): boolean => matchMedia('(max-width: 640px)').matches

/** Beside what it belongs to. Where that is not shown, in the middle; where it is gone, it stays. */
const place = (pop: HTMLElement, anchor: Element | null): void => {
  const isPlaced = pop.style.getPropertyValue('--left') !== ''
  if (isSheet() || (anchor === null && isPlaced)) return
  const { width, height } = pop.getBoundingClientRect()
  const middle = new DOMRect((innerWidth - width) / 2, (innerHeight - height) / 3, 0, 0)
  const at = anchor?.getBoundingClientRect() ?? middle
  const below = at.bottom + AWAY
  const isBelow = below + height + AWAY <= innerHeight || at.top < height
  const top = isBelow ? Math.min(below, innerHeight - height - AWAY) : at.top - height - AWAY
  const left = Math.min(Math.max(at.left, AWAY), innerWidth - width - AWAY)
  pop.style.setProperty('--left', `${left}px`)
  pop.style.setProperty('--top', `${Math.max(AWAY, top)}px`)
}

const focusIn = (pop: HTMLElement | null): void => {
  const find = (selector: string): HTMLElement | null | undefined => pop?.querySelector<HTMLElement>(selector)
  const first = find('[data-first]') ?? find('.choice') ?? find('.chip:enabled, .pop-foot .btn') ?? find('button')
  first?.focus()
  if (first instanceof HTMLInputElement) first.select()
}

/** A dialog at the block it belongs to; on phones a sheet. Escape closes it, and focus returns. */
export const Popover = (props: Props): VNode => {
  const { title, label = title, subtitle, className = '', anchor, onClose, onSubmit, children } = props
  const pop = useRef<HTMLDivElement>(null)
  // Before what is inside takes it.
  const [before] = useState(() => document.activeElement as HTMLElement | null)
  /** What had the focus last. */
  const focused = useRef<Element>(undefined)
  useLayoutEffect(() => {
    const follow = (): void => {
      if (pop.current !== null) place(pop.current, anchor())
    }
    follow()
    const grown = new ResizeObserver(follow)
    if (pop.current !== null) grown.observe(pop.current)
    addEventListener('resize', follow)
    addEventListener('scroll', follow, { capture: true, passive: true })
    return () => {
      grown.disconnect()
      removeEventListener('resize', follow)
      removeEventListener('scroll', follow, { capture: true })
    }
  })
  // As layout effects, before the next key: effects run a frame later, and a key in between would go nowhere.
  useLayoutEffect(() => {
    focusIn(pop.current)
    return () => {
      // Focus that has moved elsewhere stays there.
      const isHere = isFocusLost() || pop.current?.contains(document.activeElement)
      if (!isHere) return
      const block = anchor()
      if (block instanceof HTMLButtonElement) block.focus({ preventScroll: true })
      else if (before?.isConnected) before.focus()
      else document.querySelector<HTMLElement>('.tl [tabindex="0"]')?.focus({ preventScroll: true })
    }
  }, [])
  useEffect(() => {
    // What was pressed may be gone by what it did.
    if (isFocusLost() && focused.current?.isConnected === false) focusIn(pop.current)
  })
  const onFocusIn = ({ target }: FocusEvent): void => {
    focused.current = target as Element
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isSheet() && pop.current !== null) keepTabInside(event, pop.current)
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onClose()
  }
  const submit = (event: Event): void => {
    event.preventDefault()
    const wrong = pop.current?.querySelector<HTMLElement>('[aria-invalid=true]')
    if (wrong) wrong.focus()
    else onSubmit?.()
  }
  return (
    <div>
      <div class="scrim phone-only" role="presentation" onClick={onClose} />
      <div
        class={`pop ${className}`}
        ref={pop}
        role="dialog"
        aria-modal={isSheet()}
        aria-label={label}
        onKeyDown={onKeyDown}
        onFocusIn={onFocusIn}
      >
        <form onSubmit={submit} novalidate>
          <div class="pop-head">
            <div class="grow">
              <h2 class="clip">
                <bdi>{title}</bdi>
              </h2>
              <p class="small muted">{subtitle}</p>
            </div>
            <IconButton icon="x" label="Close (Esc)" look="quiet small" onClick={onClose} />
          </div>
          {children}
        </form>
      </div>
    </div>
  )
}
