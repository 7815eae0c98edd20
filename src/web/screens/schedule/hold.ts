/** Nothing moves while somebody is at it: rows keep their places until pointer, focus and draft are gone. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Sut } from '../../data/objects.ts'
import { hold, type Row } from '../../features/schedule/rows.ts'

export const useInside = () => {
  const [inside, setInside] = useState({ hasPointer: false, hasFocus: false })
  const set = (part: Partial<typeof inside>) => (): void => setInside((before) => ({ ...before, ...part }))
  const onFocusOut = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (!(currentTarget as Element).contains(relatedTarget as Node | null)) set({ hasFocus: false })()
  }
  const handlers = {
    ...{ onPointerEnter: set({ hasPointer: true }), onPointerLeave: set({ hasPointer: false }) },
    ...{ onFocusIn: set({ hasFocus: true }), onFocusOut },
  }
  return { isInside: inside.hasPointer || inside.hasFocus, handlers }
}

/** The value, or the one from before while it is held. */
export const useHeld = <A>(value: A, isHeld: boolean): A => {
  const kept = useRef(value)
  if (!isHeld) kept.current = value
  return kept.current
}

/**
 * The rows to show. What one chooses oneself, `chosen`, is shown at once. `waiting` is how many machines have come that
 * are not shown yet; `release` shows them.
 */
export const useHeldRows = (
  rows: readonly Row<Sut>[],
  all: ReadonlyMap<string, Sut>,
  chosen: readonly unknown[],
  isHeld: boolean,
) => {
  const [released, release] = useState({})
  const wanted: readonly unknown[] = [...chosen, released]
  const kept = useRef({ chosen: wanted, rows })
  const isSame = wanted.every((each, n) => Object.is(each, kept.current.chosen[n]))
  const { rows: before } = kept.current
  const isKept = isHeld && isSame && before.length > 0
  const shown = useMemo(() => (isKept ? hold(before, rows, all) : rows), [isKept, isKept && before, rows, all])
  useEffect(() => {
    kept.current = { chosen: wanted, rows: shown }
  })
  const keys = useMemo(() => new Set(shown.map(({ key }) => key)), [shown])
  const waiting = shown === rows ? 0 : rows.filter(({ key, kind }) => kind === 'machine' && !keys.has(key)).length
  return { shown, waiting, release: () => release({}) }
}
