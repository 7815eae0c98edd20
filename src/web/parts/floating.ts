import { autoUpdate, computePosition, flip, offset, shift, type VirtualElement } from '@floating-ui/dom'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

/**
 * Keeps what is in the top layer beside what it belongs to: below, above where there is no room, always in the window.
 * Anchors of CSS are too new for that.
 */
export const placeBeside = (floating: HTMLElement, anchor: VirtualElement, away = 8): (() => void) =>
  autoUpdate(anchor, floating, async () => {
    const middleware = [offset(away), flip(), shift({ padding: 8, crossAxis: true })]
    const { x, y } = await computePosition(anchor, floating, {
      strategy: 'fixed',
      placement: 'bottom-start',
      middleware,
    })
    floating.style.setProperty('--left', `${x}px`)
    floating.style.setProperty('--top', `${y}px`)
  })

/** What a button opens, in the top layer beside it; Escape and a press elsewhere close it. */
export const useFloating = () => {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const floating = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (!isOpen || button.current === null || floating.current === null) return undefined
    return placeBeside(floating.current, button.current, 4)
  }, [isOpen])
  const close = (): void => {
    floating.current?.hidePopover()
    button.current?.focus()
  }
  const onBeforeToggle = ({ newState }: { readonly newState: string }): void => setOpen(newState === 'open')
  return {
    ...{ isOpen, floating, close },
    buttonProps: { ref: button, popovertarget: id, 'aria-expanded': isOpen },
    floatingProps: { ref: floating, id, popover: 'auto', onBeforeToggle },
  } as const
}
