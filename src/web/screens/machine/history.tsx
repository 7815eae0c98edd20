import { useMemo, useState } from 'preact/hooks'
import { ofSut } from '../../data/query.ts'
import { readNewest } from '../../features/events/entries.ts'
import { Line, type Told } from '../../features/events/line.tsx'
import { sentenceOf } from '../../features/events/sentence.ts'
import type { Kind } from '../../features/events/templates.ts'
import { formatClock, formatCount, formatDay, formatSecond, midnightOf } from '../../format/format.ts'
import { isBy } from '../../page/as-of.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { usePeople } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { FilterChip } from '../../parts/choose/menu.tsx'
import { Section } from '../../parts/show/page.tsx'

type OfMachine = Exclude<Kind, 'people' | 'service'>

const KINDS: Readonly<Record<OfMachine, string>> = {
  reservations: 'Reservations',
  sessions: 'Connections',
  changes: 'Changes',
  monitoring: 'Monitoring',
}

const FIRST = 20
const MORE = 100

/** `10:30:04` today, otherwise `Tue 17:20`, or with the date. */
const momentOf = (time: number, now: number): string => {
  if (midnightOf(time) === midnightOf(now)) return formatSecond(time)
  const isThisWeek = time > midnightOf(now, -6)
  return `${isThisWeek ? formatDay(time).slice(0, 3) : formatDay(time).slice(4)} ${formatClock(time)}`
}

export const History = ({ sutId, now }: { readonly sutId: string; readonly now: number }) => {
  const page = usePage()
  const moment = page.asOf.value
  const ownId = meOf(page)._id
  const [most, setMost] = useState(FIRST)
  const [kinds, setKinds] = useState<ReadonlySet<OfMachine>>(new Set())
  const reading = useReading({
    ...{ key: `history ${sutId} ${most}`, family: 'history', ...ofSut(sutId) },
    read: (source) => readNewest(source, sutId, most),
  })
  const { value } = reading
  const people = usePeople()
  const told = useMemo(() => {
    const entries = value?.entries ?? []
    const actors = new Map(entries.map(({ actor, actorname }) => [actor, actorname]))
    const reader = { ownId, nameOf: (id: string) => actors.get(id) ?? people.get(id)?.name }
    return entries
      .filter((entry) => moment === undefined || isBy(moment, entry))
      .map((entry): Told => ({ entry, sentence: sentenceOf(entry, reader) }))
  }, [value, people, ownId, moment])
  const shown = told.filter(({ sentence }) => kinds.size === 0 || kinds.has(sentence.kind as OfMachine))
  const older = value === undefined ? 0 : value.count - value.entries.length
  const content = ({ entries }: NonNullable<typeof value>) => (
    <div>
      {shown.map((each) => (
        <Line key={each.entry.sequence} {...each} when={momentOf(Date.parse(each.entry.time), now)} />
      ))}
      {shown.length === 0 && <p class="muted">Nothing of this kind among the {entries.length} newest entries.</p>}
      {older > 0 && (
        <p class="under">
          <Button
            label={formatCount(older, 'older entry', 'older entries')}
            look="quiet small"
            disabled={reading.isFormer}
            onClick={() => setMost(entries.length + MORE)}
          />
        </p>
      )}
    </div>
  )
  const label = kinds.size === 0 ? 'All kinds' : `${kinds.size} of 4 kinds`
  return (
    <Section title="History" beside={<FilterChip label={label} options={KINDS} chosen={kinds} onChange={setKinds} />}>
      <Loaded reading={reading} what="The history">
        {content}
      </Loaded>
    </Section>
  )
}
