import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** Whether nothing has the focus: what had it may have gone. */
export const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body

const around = (element: Element | null | undefined): readonly Element[] =>
  element ? [element, ...around(element.parentElement)] : []

/**
 * Where the focus goes when what has it goes away: to the button around it that has asked for `action`, such as
 * `Cancel` for `Cancel this one`, or else to the first one.
 */
export const useFocusReturn = (root: RefObject<Element | null>, action: string): void =>
  useLayoutEffect(() => {
    const all = around(root.current)
    const focus = (): void => {
      if (!isFocusLost()) return
      const buttons = all
        .filter(({ isConnected }) => isConnected)
        .flatMap((each) => [...each.querySelectorAll<HTMLElement>('button:enabled')])
      const asked = buttons.find(
        ({ textContent }) => /^[^…]/.test(textContent) && action.startsWith(textContent.replace('…', '')),
      )
      const to = asked ?? buttons[0]
      to?.focus()
    }
    return () => queueMicrotask(focus)
  }, [])
