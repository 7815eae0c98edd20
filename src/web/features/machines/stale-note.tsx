import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatClock, formatList } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { useFocusReturn } from '../../parts/focus.ts'
import { Note } from '../../parts/show/note.tsx'
import { type Entry, labelOf, lastChange, readNewest } from '../events/entries.ts'
import { revisionOf } from './form.ts'

const LOOKED_AT = 50

const MONITORING: readonly string[] = ['berth.SutMonitoringEnabled', 'berth.SutMonitoringDisabled']

const partsOf = ({ type, changes }: Entry): string => {
  if (MONITORING.includes(type)) return 'Monitoring'
  return formatList([...new Set(changes.map(labelOf))])
}

/** `Amina Diallo changed Version at 10:41.` */
export const changedText = (entry: Entry | undefined, ownId: string): string => {
  if (entry === undefined) return 'This machine was changed.'
  const isOwn = entry.actor === ownId
  const who = isOwn ? 'You' : (entry.actorname ?? 'Someone')
  return `${who} changed ${partsOf(entry)} at ${formatClock(Date.parse(entry.time))}${isOwn ? ' in another tab' : ''}.`
}

interface Props {
  readonly sutId: string
  /** The ETag of the record that the form began with. */
  readonly etag: string
  readonly onLoad: () => void
}

export const StaleNote = ({ sutId, etag, onLoad }: Props): VNode => {
  const page = usePage()
  const note = useRef<HTMLDivElement>(null)
  useFocusReturn(note, 'Save')
  const [entry, setEntry] = useState<Entry | undefined>(undefined)
  useEffect(() => {
    const revision = revisionOf(etag)
    readNewest(page.api, sutId, LOOKED_AT).then(
      ({ entries }) => setEntry(lastChange(entries, revision)),
      // It is said without a name then.
      () => undefined,
    )
  }, [etag])
  return (
    <Note kind="warn" ref={note} action={<Button label="Load the new values" look="small" onClick={onLoad} />}>
      {changedText(entry, meOf(page)._id)} Your edits are kept.
    </Note>
  )
}
