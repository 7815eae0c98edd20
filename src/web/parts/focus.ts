/** Whether nothing has the focus: what had it may have gone. */
export const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body

/** On Tab, goes from the last of what can have the focus to the first, and back. */
export const keepTabInside = (event: KeyboardEvent, root: HTMLElement): void => {
  if (event.key !== 'Tab') return
  const all = [...root.querySelectorAll<HTMLElement>('a, button, input, select, summary, [tabindex]')]
  const stops = all.filter((each) => each.tabIndex >= 0 && !each.matches(':disabled') && each.checkVisibility())
  const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]]
  if (document.activeElement !== from) return
  event.preventDefault()
  to?.focus()
}
