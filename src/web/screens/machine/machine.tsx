import { useState } from 'preact/hooks'
import type { FullSettings, Settings, Sut } from '../../data/objects.ts'
import { MachineDialog } from '../../features/machines/machine-dialog.tsx'
import { stateOf } from '../../features/machines/machine-state.ts'
import type { Known } from '../../features/machines/machine-values.ts'
import { knownMachine } from '../../features/machines/save.ts'
import { type Booked, overlaps } from '../../features/schedule/calendar.ts'
import { formatSeconds, midnightOf } from '../../format/format.ts'
import { meOf, type Reading, usePage, useReading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { linkTo } from '../../page/location.ts'
import { useReserved } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { KeyValues } from '../../parts/show/key-values.tsx'
import { Tag } from '../../parts/show/note.tsx'
import { Section } from '../../parts/show/page.tsx'
import { Subscribe } from '../../parts/show/subscribe.tsx'
import { StateBlock } from '../../parts/state.tsx'
import { Head } from './head.tsx'
import { History } from './history.tsx'
import { Week } from './machine-week.tsx'
import { Monitoring } from './monitoring.tsx'

interface Read {
  readonly sut: Sut
  /** With its settings, for administrators. */
  readonly known: Known | undefined
  /** Of the next seven days, and the day before: it may be turned around after that. */
  readonly booked: readonly Booked[]
}

const useMachine = (id: string): Reading<Read> => {
  const page = usePage()
  const day = midnightOf(page.minute.value)
  const machine = useReading(knownMachine(id))
  const span = { from: midnightOf(day, -1), to: midnightOf(day, 7) }
  const reserved = useReserved(span, [id], { include: 'names,series' })
  const { value: known } = machine
  const isAdministrator = meOf(page).role === 'administrator'
  return {
    ...machine,
    failed: machine.failed ?? reserved.failed,
    retry: machine.failed === undefined ? reserved.retry : machine.retry,
    value: known &&
      reserved.value && {
        sut: { ...known.sut, settings: known.settings },
        known: isAdministrator ? known : undefined,
        booked: (reserved.value.get(id) ?? []).filter((each) => overlaps(each, span)),
      },
  }
}

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ')

type Fact = readonly [name: string, value: string]

const settingsOf = ({ turnaround, release_unused_after }: Settings): readonly Fact[] => [
  ['Turnaround', turnaround === 0 ? 'none' : `${formatSeconds(turnaround)} after each reservation`],
  ...(release_unused_after === 0
    ? []
    : [['If unused', `released after ${formatSeconds(release_unused_after)}`] as const]),
]

const fullSettingsOf = (sut: Sut, settings: FullSettings): readonly Fact[] => {
  const { listen_port, monitoring_interval, has_password, has_user_name, rdp_width, rdp_height } = settings
  const kept = joined(
    has_user_name ? 'user name' : '',
    has_user_name && has_password ? 'and' : '',
    has_password ? 'password' : '',
  )
  return [
    ['Listen port', listen_port === null ? 'none' : String(listen_port)],
    ['Stored', kept === '' ? 'nothing' : kept],
    ['Monitored', monitoring_interval === null ? 'no' : `every ${formatSeconds(monitoring_interval)}`],
    ...(sut.sut_type === 'rdp' && rdp_width !== null && rdp_height !== null
      ? [['Desktop', `${rdp_width} × ${rdp_height}`] as const]
      : []),
  ]
}

const Facts = ({ sut, settings }: { readonly sut: Sut; readonly settings: Settings | undefined }) => {
  const { sut_type, address, port, os, manufacturer, model, version, description } = sut
  const place = `${address.includes(':') ? `[${address}]` : address}:${port}`
  const at = (
    <span class="row">
      <bdi class="mono">{place}</bdi>
      <CopyButton text={place} label="Copy the address" />
    </span>
  )
  return (
    <KeyValues
      rows={[
        ['Type', sut_type.toUpperCase()],
        ['Address', at],
        ['System', os],
        ['Manufacturer', joined(manufacturer, model)],
        ['Version', version],
        ...(settings === undefined ? [] : settingsOf(settings)),
        ...(settings?.listen_port === undefined ? [] : fullSettingsOf(sut, settings as FullSettings)),
        ['Calendar', <Subscribe key="calendar" path={`/api/sut/${sut._id}/calendar.ics`} />],
        ['Description', description, 'second lines'],
      ]}
    />
  )
}

const Content = ({ read }: { readonly read: Read }) => {
  const page = usePage()
  const me = meOf(page)
  const now = page.minute.value
  const isAnswered = page.control.isAnswered.value
  const [isEditing, setEditing] = useState(false)
  const { sut, known, booked } = read
  const { byId } = page.reservations.all.value
  const tags = Object.entries(sut.tags)
  const state = stateOf(sut, booked, now, me._id)
  const nameOf = ({ _id, userId }: Booked): string => byId.get(_id)?.user_name ?? userId
  const who = state.running && (state.running.userId === me._id ? 'You' : nameOf(state.running))
  const edit = (): void => setEditing(true)
  return (
    <div class="page">
      <Head {...{ sut, known, state, who, now, mayReserve: me.role !== 'auditor' }} onEdit={edit} />
      <div class="cols r320">
        <div>
          <Section
            title="Next 7 days"
            beside={
              <a class="small" href={linkTo('schedule')}>
                Show in schedule
              </a>
            }
          >
            <Week sut={sut} booked={booked} now={now} nameOf={nameOf} />
          </Section>
          <Monitoring sut={sut} now={now} />
          {me.role !== 'tester' && <History sutId={sut._id} now={now} />}
        </div>
        <aside class="stack aside">
          <Facts sut={sut} settings={known?.settings ?? sut.settings} />
          <div class="stack">
            <div class="row">
              <h2 class="grow">Tags</h2>
              {known && isAnswered && (
                <Button label="Edit" look="quiet small" aria-label="Edit the tags" onClick={edit} />
              )}
            </div>
            <div class="chips">
              {tags.map(([name, value]) => (
                <Tag key={name} name={name} value={value} />
              ))}
              {tags.length === 0 && <span class="muted">None</span>}
            </div>
          </div>
        </aside>
      </div>
      {isEditing && known !== undefined && <MachineDialog known={known} onClose={() => setEditing(false)} />}
    </div>
  )
}

export const Machine = ({ id }: { readonly id: string }) => {
  const reading = useMachine(id)
  const { failed } = reading
  const isScoped = (meOf(usePage()).scope ?? '') !== ''
  return (
    <main class="main">
      {failed?.status === 404 || failed?.status === 422 ? (
        <StateBlock
          icon="search"
          title="This machine does not exist"
          // It may have left the scope since it was read.
          text={isScoped ? 'This machine is no longer in your scope.' : undefined}
        >
          <Button label="Machines" href={linkTo('machines')} />
        </StateBlock>
      ) : (
        <Loaded reading={reading} what="The machine" class="page" skeleton={8}>
          {(value) => <Content read={value} />}
        </Loaded>
      )}
    </main>
  )
}
