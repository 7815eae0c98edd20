import { useState } from 'preact/hooks'
import type { NamedReservation } from '../../data/objects.ts'
import { compareNames, formatMoment, formatNumber, formatRange } from '../../format/format.ts'
import { parsePast } from '../../format/parse.ts'
import { meOf, usePage } from '../../page/context.ts'
import { PastInput } from '../../parts/choose/day-input.tsx'
import { Select } from '../../parts/choose/select.tsx'
import { CommandButton, useCommand } from '../../parts/commands/command.tsx'
import { Name, RefusedNote, Status } from '../../parts/show/note.tsx'
import { currentTime } from '../../service/time.ts'
import type { Names } from './names.ts'

interface Found {
  readonly at: number
  readonly reservations: readonly NamedReservation[]
  readonly count: number
}

const MOST = 1_000

const Answer = ({ found, ownId }: { readonly found: Found; readonly ownId: string }) => {
  const when = formatMoment(found.at)
  if (found.reservations.length === 0) return <Status class="second">Nobody, at {when}.</Status>
  return (
    <div role="status">
      <p class="small muted">At {when}</p>
      <ul class="stack">
        {found.reservations.map((each) => (
          <li key={each._id}>
            <bdi>{each.sut_name ?? 'a machine'}</bdi>: <Name of={each.user_id === ownId ? 'You' : each.user_name} />{' '}
            <span class="muted num nowrap">{formatRange(Date.parse(each.start_time), Date.parse(each.end_time))}</span>
          </li>
        ))}
      </ul>
      {found.count > found.reservations.length && (
        <p class="small muted">And {formatNumber(found.count - found.reservations.length)} more. Choose a machine.</p>
      )}
    </div>
  )
}

/** Who really held a machine at a moment, which windows do not say. */
export const Holders = ({ names, now }: { readonly names: Names; readonly now: number }) => {
  const page = usePage()
  const command = useCommand()
  const [sut, setSut] = useState('')
  const [when, setWhen] = useState(() => formatMoment(now))
  const [found, setFound] = useState<Found | undefined>(undefined)
  const at = parsePast(when, currentTime())
  const submit = (event: Event): void => {
    event.preventDefault()
    if (at === undefined || command.isOff) return
    const query = new URLSearchParams({
      held_at: new Date(at).toISOString(),
      include: 'names,state',
      limit: String(MOST),
      ...(sut !== '' && { sut_id: sut }),
    })
    void command.run(
      () => page.api.get(`/api/sut_reservation?${query}`),
      ({ value: { count, sut_reservations } }) => {
        const reservations = (sut_reservations as readonly NamedReservation[]).toSorted((a, b) =>
          compareNames(a.sut_name ?? '', b.sut_name ?? ''),
        )
        setFound({ at, reservations, count })
      },
    )
  }
  const options = [['', 'Any machine'] as const, ...names.suts.map(({ _id, name }) => [_id, name] as const)]
  return (
    <section class="stack" aria-label="Who had it">
      <h2>Who had it</h2>
      <form class="stack" onSubmit={submit}>
        <Select id="held-sut" label="Machine to look up" value={sut} options={options} onChange={setSut} />
        <PastInput id="held-at" label="Time to look up" value={when} onInput={setWhen} />
        <div>
          <CommandButton label="Look up" look="small" command={command} disabled={at === undefined} />
        </div>
      </form>
      <RefusedNote refused={command.refused} />
      {found !== undefined && <Answer found={found} ownId={meOf(page)._id} />}
    </section>
  )
}
