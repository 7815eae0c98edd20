import { useComputed } from '@preact/signals'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { bookedOf, type Sut, turnaroundOf } from '../../data/objects.ts'
import { ofSut } from '../../data/reading.ts'
import type { Known } from '../../features/machines/form.ts'
import { MachineDialog } from '../../features/machines/machine-dialog.tsx'
import { readKnown } from '../../features/machines/save.ts'
import { stateOf } from '../../features/machines/state.ts'
import type { Booked } from '../../features/schedule/calendar.ts'
import { midnightOf, toIso } from '../../format/times.ts'
import { meOf, usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { goTo, linkTo } from '../../page/location.ts'
import { useReading } from '../../page/use-reading.ts'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/show/page.tsx'
import { StateBlock } from '../../parts/state.tsx'
import type { Readable, Refused } from '../../service/api.ts'
import { show } from '../schedule/grid/view.ts'
import { Facts, Tags } from './facts.tsx'
import { Head } from './head.tsx'
import { History } from './history.tsx'
import { Monitoring } from './monitoring.tsx'
import { Week } from './week.tsx'

/** A machine and what is reserved in the next seven days, and the day before: it may be turned around after that. */
interface Read {
  readonly sut: Sut
  /** With its settings, for administrators. */
  readonly known: Known | undefined
  readonly booked: readonly Booked[]
  /** Ids of those that belong to a series. */
  readonly ofSeries: ReadonlySet<string>
  readonly names: ReadonlyMap<string, string>
}

/** Reservations of a machine in eight days, at most: a quarter-hour each. */
const MOST = 800

const readMachine = async (api: Readable, id: string, isAdministrator: boolean, day: number): Promise<Read> => {
  const sutId = encodeURIComponent(id)
  const span = `from=${toIso(midnightOf(day, -1))}&to=${toIso(midnightOf(day, 7))}`
  const [found, { value }] = await Promise.all([
    isAdministrator
      ? readKnown(api, sutId)
      : api.get(`/api/sut/${sutId}?include=settings`).then((answer) => answer.value),
    api.get(`/api/sut_reservation?sut_id=${sutId}&${span}&include=names,series&limit=${MOST}`),
  ])
  const booked = value.sut_reservations.map(bookedOf).toSorted((a, b) => a.from - b.from)
  const names = new Map(value.sut_reservations.map(({ user_id, user_name }) => [user_id, user_name ?? '']))
  const ofSeries = new Set(value.sut_reservations.filter(({ series_id }) => series_id).map(({ _id }) => _id))
  const known = 'etag' in found ? found : undefined
  const sut = 'etag' in found ? { ...found.sut, settings: found.settings } : found
  return { sut, known, booked, ofSeries, names }
}

const Gone = ({ failed }: { readonly failed: Refused }): VNode => {
  const isScoped = (meOf(usePage()).scope ?? '') !== ''
  const text = isScoped ? 'This machine is no longer in your scope.' : failed.message
  return (
    <StateBlock icon="search" title="This machine does not exist" text={text}>
      <Button label="Machines" href={linkTo('machines')} />
    </StateBlock>
  )
}

const Content = ({ read }: { readonly read: Read }): VNode => {
  const page = usePage()
  const me = meOf(page)
  const now = page.minute.value
  const isAnswered = page.control.isAnswered.value
  const [isEditing, setEditing] = useState(false)
  const { sut, known, booked, ofSeries, names } = read
  const state = stateOf(sut, booked, now, me._id)
  const nameOf = ({ userId }: Booked): string => names.get(userId) ?? userId
  const who = state.running && (state.running.userId === me._id ? 'You' : nameOf(state.running))
  const edit = (): void => setEditing(true)
  const onDay = (day: number): void => {
    show({ zoom: 'day', time: day === midnightOf(now) ? undefined : day, open: undefined })
    goTo('schedule')
  }
  return (
    <div class="page">
      <Head
        sut={sut}
        known={known}
        state={state}
        who={who}
        now={now}
        mayReserve={me.role !== 'auditor'}
        isAnswered={isAnswered}
        onEdit={edit}
      />
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
            <Week
              booked={booked}
              ofSeries={ofSeries}
              turnaround={turnaroundOf(sut)}
              now={now}
              ownId={me._id}
              nameOf={nameOf}
              onDay={onDay}
            />
          </Section>
          <Monitoring sut={sut} now={now} />
          {me.role !== 'tester' && <History sutId={sut._id} ownId={me._id} now={now} />}
        </div>
        <aside class="stack aside">
          <Facts sut={sut} settings={known?.settings ?? sut.settings} />
          <Tags sut={sut} onEdit={known && isAnswered ? edit : undefined} />
        </aside>
      </div>
      {isEditing && known !== undefined && <MachineDialog known={known} onClose={() => setEditing(false)} />}
    </div>
  )
}

/** One machine: who has it when, how it has been, and what was done with it. */
export const Machine = ({ id }: { readonly id: string }): VNode => {
  const page = usePage()
  const isAdministrator = meOf(page).role === 'administrator'
  const day = useComputed(() => midnightOf(page.clock.value)).value
  const reading = useReading(
    `machine ${id} ${day}`,
    (api) => readMachine(api, id, isAdministrator, day),
    ofSut(id, 'sut', 'sut_reservation'),
  )
  const { failed } = reading
  // It may have left the scope since it was read.
  const isGone = failed?.status === 404 || failed?.status === 422
  return (
    <main class="main">
      {isGone ? (
        <Gone failed={failed} />
      ) : (
        <Loaded reading={reading} what="The machine" class="page" skeleton={8}>
          {(value) => <Content read={value} />}
        </Loaded>
      )}
    </main>
  )
}
