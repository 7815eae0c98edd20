import { useLayoutEffect, useState } from 'preact/hooks'

interface Options {
  /** Begins the ids of the list and what is in it. */
  readonly id: string
  readonly count: number
  /** The one that is chosen at first; none with -1, and Enter takes the first. */
  readonly first?: 0 | -1
  /** Takes one, by its place. */
  readonly take: (at: number) => void
  /** Escape. */
  readonly close: () => void
}

/** The combobox of the ARIA Authoring Practices: the focus stays in the field, arrows move in the list, Enter takes. */
export const useOptions = ({ id, count, first = 0, take, close }: Options) => {
  const [at, setAt] = useState<number>(first)
  const current = Math.min(at, count - 1)
  useLayoutEffect(() => {
    if (at !== first) document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' })
  }, [current])
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    // A field for searching would be emptied first.
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter') take(Math.max(0, current))
    else if (by !== undefined && count > 0) setAt((Math.max(current, by < 0 ? 0 : -1) + by + count) % count)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return {
    /** Back to the first, for another list. */
    reset: () => setAt(first),
    field: {
      type: 'text',
      role: 'combobox',
      autocomplete: 'off',
      'aria-expanded': count > 0,
      'aria-controls': id,
      'aria-activedescendant': current < 0 ? undefined : `${id}-${current}`,
      onKeyDown,
    } as const,
    option: (n: number) =>
      ({
        id: `${id}-${n}`,
        role: 'option',
        'aria-selected': n === current,
        tabindex: -1,
        onClick: () => take(n),
      }) as const,
  }
}
