/** A form of a record that others may change meanwhile. */

import type { RenderableProps } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../button.tsx'
import { useFocusReturn } from '../focus.ts'
import { Note } from '../show/note.tsx'
import type { Command } from './command.tsx'
import { differing, revisionOf } from './merge.ts'

interface Options<R, V> {
  readonly command: Command
  /** The record that the form begins with; undefined for one that is to be made. */
  readonly first: R | undefined
  /** As it was read last. */
  readonly newest: R | undefined
  readonly valuesOf: (record: R | undefined) => V
  readonly together?: readonly (keyof V)[]
}

/** What is typed stays on top of what is saved. What others change shows at once, unless something is typed. */
export const useMergeForm = <R extends { readonly etag: string | undefined }, V extends object>(
  options: Options<R, V>,
) => {
  const { command, first, newest, valuesOf, together } = options
  const [base, setBase] = useState(first)
  const [typed, setTyped] = useState<Partial<V>>({})
  const saved = valuesOf(base)
  const isTyped = Object.keys(differing(typed, saved)).length > 0
  // What this form saves is told as a change, too, before the answer is here.
  const isNewer =
    !command.isBusy && base !== undefined && newest !== undefined && revisionOf(newest.etag) > revisionOf(base.etag)
  const isStale = isNewer && isTyped
  useEffect(() => {
    if (isNewer && !isTyped) setBase(newest)
  }, [isNewer, isTyped])
  return {
    ...{ base, saved, values: { ...saved, ...typed } },
    /** Whether others have changed it below what is typed. */
    isStale,
    /** Why it was refused, unless a field says so, or the note that it is stale. */
    unplaced: isStale && command.unplaced?.problem.code === 'stale' ? undefined : command.unplaced,
    change: (part: Partial<V>): void =>
      setTyped((before) => differing({ ...saved, ...before, ...part }, saved, together)),
    load: (): void => {
      setBase(newest)
      command.forgive()
    },
    /** Tells what was saved: all that was typed until then, or a part of it. What was typed meanwhile stays. */
    settle: (record: R, isAll = true): void => {
      setBase(record)
      if (isAll) setTyped((now) => differing(now, typed, together))
    },
  }
}

/** Says that others have changed it. */
export const StaleNote = ({ onLoad, children }: RenderableProps<{ readonly onLoad: () => void }>) => {
  const note = useRef<HTMLDivElement>(null)
  useFocusReturn(note, 'Save')
  return (
    <Note kind="warn" ref={note} action={<Button label="Load the new values" look="small" onClick={onLoad} />}>
      {children} Your edits are kept.
    </Note>
  )
}
