import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { close } from '../../features/view/view.ts'
import { isPhone } from '../../page/theme.ts'
import { IconButton } from '../../parts/button.tsx'
import { placeBeside } from '../../parts/floating.ts'
import { isFocusLost } from '../../parts/focus.ts'

interface Props {
  readonly title: string
  /** What assistive technology calls it, if that says more than the title. */
  readonly label?: string
  readonly subtitle: string
  /** Pixels, where it is not as wide as usual. */
  readonly width?: number
  /** Finds what it stands beside; the draft unless given. */
  readonly anchor?: string
  /** Closes what is open over the timeline unless given. */
  readonly onClose?: () => void
  readonly isBusy?: boolean
  readonly onSubmit?: () => void
  readonly children: ComponentChildren
}

const focusIn = (pop: HTMLElement | null): void => {
  const find = (selector: string): HTMLElement | null | undefined => pop?.querySelector<HTMLElement>(selector)
  const first = find('[data-first]') ?? find('.choice') ?? find('.chip:enabled, .pop-foot .btn') ?? find('button')
  first?.focus()
  if (first instanceof HTMLInputElement) first.select()
}

/** Finds the block of a cell, by its key. */
export const blockOf = (key: string): string => `[data-key="${CSS.escape(key)}"]`

/** A dialog at the block it belongs to; on phones a sheet. Escape closes it, and focus returns. */
export const Popover = (props: Props) => {
  const { title, label = title, subtitle, width, isBusy, onSubmit, children } = props
  const { anchor = '.draft', onClose = close } = props
  const anchorNow = (): Element | null => document.querySelector(anchor)
  const pop = useRef<HTMLDialogElement>(null)
  // Before what is inside takes it.
  const [before] = useState(() => document.activeElement as HTMLElement | null)
  const focused = useRef<Element>(undefined)
  const place = useRef<DOMRect>(undefined)
  // As layout effects, before the next key: effects run a frame later, and a key in between would go nowhere.
  useLayoutEffect(() => {
    if (isPhone()) pop.current?.showModal()
    else pop.current?.showPopover()
    focusIn(pop.current)
    return () => {
      // Focus that has moved elsewhere stays there.
      const isHere = isFocusLost() || pop.current?.contains(document.activeElement)
      if (!isHere) return
      const block = anchorNow()
      if (block instanceof HTMLButtonElement) block.focus({ preventScroll: true })
      else if (before?.isConnected && before !== document.body) before.focus()
      else document.querySelector<HTMLElement>('.tl [tabindex="0"]')?.focus({ preventScroll: true })
    }
  }, [])
  // Where that is not shown, in the middle; where it is gone, where it was.
  useLayoutEffect(() => {
    if (pop.current === null || isPhone()) return undefined
    const { offsetWidth } = pop.current
    const getBoundingClientRect = (): DOMRect => {
      place.current = anchorNow()?.getBoundingClientRect() ?? place.current
      return place.current ?? new DOMRect((innerWidth - offsetWidth) / 2, innerHeight / 3, 0, 0)
    }
    return placeBeside(pop.current, { getBoundingClientRect, contextElement: anchorNow() ?? document.body })
  })
  // What was pressed may be gone by what it did.
  useLayoutEffect(() => {
    if (isFocusLost() && focused.current?.isConnected === false) focusIn(pop.current)
  })
  const onFocusIn = ({ target }: FocusEvent): void => {
    focused.current = target as Element
  }
  const onKeyDown = (event: KeyboardEvent): void => {
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
    <dialog
      class="pop"
      style={{ '--w-pop': width && `${width}px` }}
      ref={pop}
      popover="manual"
      aria-label={label}
      onKeyDown={onKeyDown}
      onFocusIn={onFocusIn}
      onClick={({ target }: Event) => target === pop.current && onClose()}
    >
      <form onSubmit={submit} novalidate>
        <div class="row pop-head">
          <div class="grow">
            <h2 class="clip">
              <bdi>{title}</bdi>
            </h2>
            <p class="small muted">{subtitle}</p>
          </div>
          <IconButton icon="x" label="Close (Esc)" look="quiet small" onClick={onClose} />
        </div>
        {isBusy && <div class="pop-progress" role="progressbar" aria-label="Reserving" />}
        {children}
      </form>
    </dialog>
  )
}
