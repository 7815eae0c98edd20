import { useEffect, useState } from 'preact/hooks'
import { formatClock, formatList } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { revisionOf } from '../../parts/commands/merge.ts'
import { StaleNote } from '../../parts/commands/merge-form.tsx'
import { outcomeOf } from '../../service/api.ts'
import { type Entry, labelOf, lastChange, readNewest } from '../events/entries.ts'

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

export const MachineStaleNote = ({ sutId, etag, onLoad }: Props) => {
  const page = usePage()
  const [entry, setEntry] = useState<Entry | undefined>(undefined)
  useEffect(() => {
    const revision = revisionOf(etag)
    // Where it is refused it is said without a name.
    void outcomeOf(readNewest(page.api, sutId, LOOKED_AT)).then(
      ({ entries }) => entries && setEntry(lastChange(entries, revision)),
    )
  }, [etag])
  return <StaleNote onLoad={onLoad}>{changedText(entry, meOf(page)._id)}</StaleNote>
}
