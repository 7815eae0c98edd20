/** What stands beside the feed: what proves the log, and who had what when. */

import { useState } from 'preact/hooks'
import type { NamedReservation } from '../../data/objects.ts'
import { NOTHING } from '../../data/query.ts'
import { checkpointOf, shortRoot } from '../../features/events/checkpoint.ts'
import { compareNames, formatMoment, formatNumber, formatRange } from '../../format/format.ts'
import { parsePast } from '../../format/parse.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Button, IconButton } from '../../parts/button.tsx'
import { PastInput } from '../../parts/choose/day-input.tsx'
import { Select } from '../../parts/choose/select.tsx'
import { CommandButton, useCommand } from '../../parts/commands/command.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { KeyValues } from '../../parts/show/key-values.tsx'
import { Name, RefusedNote, Status } from '../../parts/show/note.tsx'
import { currentTime } from '../../service/time.ts'
import type { Names } from './names.ts'

/** The newest checkpoint, which proves what the log was. Each costs a signature: none is made but here and when asked. */
export const NewestCheckpoint = () => {
  const { api, control } = usePage()
  const reading = useReading({
    ...{ key: 'checkpoint', ...NOTHING },
    read: async () => {
      const { blob, refused } = await api.file('/api/audit/checkpoint', 'text/plain')
      if (refused !== undefined) throw refused
      return { text: await blob.text(), at: currentTime() }
    },
  })
  const facts = ({ text, at }: NonNullable<typeof reading.value>) => {
    const checkpoint = checkpointOf(text)
    if (checkpoint === undefined) return undefined
    const download = (): void =>
      saveFile(new Blob([text], { type: 'text/plain' }), `log-${checkpoint.entries}.checkpoint`)
    return (
      <>
        <KeyValues
          rows={[
            ['Signed', formatMoment(at), 'num'],
            ['Entries', formatNumber(checkpoint.entries), 'num'],
            ['Root', <span title={checkpoint.root}>{shortRoot(checkpoint.root)}</span>, 'mono'],
            ['Key', checkpoint.key, 'mono'],
          ]}
        />
        <div class="row wrap">
          <CopyButton text={text} isWide />
          <Button icon="download" label="Download" look="small" onClick={download} />
          <IconButton
            {...{ icon: 'refresh', label: 'Sign a new one', look: 'quiet small', disabled: !control.isAnswered.value }}
            onClick={reading.retry}
          />
        </div>
        <p class="small muted">Store it elsewhere. It proves that nothing recorded so far was changed or removed.</p>
      </>
    )
  }
  return (
    <section class="stack checkpoint" aria-label="Newest checkpoint">
      <div class="row">
        <Icon name="shield" />
        <h2 class="grow">Newest checkpoint</h2>
      </div>
      <Loaded reading={reading} what="The checkpoint">
        {facts}
      </Loaded>
    </section>
  )
}

interface Found {
  readonly at: number
  readonly reservations: readonly NamedReservation[]
  readonly count: number
}

const MOST = 1_000

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
      ...{ held_at: new Date(at).toISOString(), include: 'names,state', limit: String(MOST) },
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
  const suts = [...names.suts.values()].map(({ _id, name }) => [_id, name] as const)
  const options = [['', 'Any machine'] as const, ...suts]
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
      {found?.reservations.length === 0 && <Status class="second">Nobody, at {formatMoment(found.at)}.</Status>}
      {found !== undefined && found.reservations.length > 0 && (
        <div role="status">
          <p class="small muted">At {formatMoment(found.at)}</p>
          <ul class="stack">
            {found.reservations.map(({ _id, sut_name, user_id, user_name, start_time, end_time }) => (
              <li key={_id}>
                <bdi>{sut_name ?? 'a machine'}</bdi>: <Name of={user_id === meOf(page)._id ? 'You' : user_name} />{' '}
                <span class="muted num nowrap">{formatRange(Date.parse(start_time), Date.parse(end_time))}</span>
              </li>
            ))}
          </ul>
          {found.count > found.reservations.length && (
            <p class="small muted">
              And {formatNumber(found.count - found.reservations.length)} more. Choose a machine.
            </p>
          )}
        </div>
      )}
    </section>
  )
}
