const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }

/**
 * Moves the focus among what `selector` finds in the element that listens: arrows to the next one, Home and End to the
 * first and the last. Tells whether the key was one of these.
 */
export const rove = (event: KeyboardEvent, selector: string): boolean => {
  const { key, target, currentTarget } = event
  // In a text these keys move the caret.
  if (target instanceof HTMLInputElement && !['ArrowDown', 'ArrowUp'].includes(key)) return false
  const all = [...(currentTarget as HTMLElement).querySelectorAll<HTMLElement>(selector)]
  const at = all.indexOf(document.activeElement as HTMLElement)
  const step = STEPS[key]
  const to = key === 'Home' ? 0 : key === 'End' ? all.length - 1 : step && (at === -1 && step < 0 ? -1 : at + step)
  if (to === undefined) return false
  all[(to + all.length) % all.length]?.focus()
  event.preventDefault()
  return true
}
