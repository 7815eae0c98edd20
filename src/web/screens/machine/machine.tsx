import { useState } from 'preact/hooks'
import { type Sut, turnaroundOf } from '../../data/objects.ts'
import { MachineDialog } from '../../features/machines/machine-dialog.tsx'
import { stateOf } from '../../features/machines/machine-state.ts'
import type { Known } from '../../features/machines/machine-values.ts'
import { knownMachine } from '../../features/machines/save.ts'
import { type Booked, overlaps } from '../../features/schedule/calendar.ts'
import { show } from '../../features/view/view.ts'
import { midnightOf } from '../../format/format.ts'
import { meOf, type Reading, usePage, useReading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { goTo, linkTo } from '../../page/location.ts'
import { useReserved } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/show/page.tsx'
import { StateBlock } from '../../parts/state.tsx'
import { Facts, Tags } from './facts.tsx'
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

const Gone = () => {
  const isScoped = (meOf(usePage()).scope ?? '') !== ''
  const text = isScoped ? 'This machine is no longer in your scope.' : undefined
  return (
    <StateBlock icon="search" title="This machine does not exist" text={text}>
      <Button label="Machines" href={linkTo('machines')} />
    </StateBlock>
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
  const state = stateOf(sut, booked, now, me._id)
  const nameOf = ({ _id, userId }: Booked): string => byId.get(_id)?.user_name ?? userId
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
              ofSeries={new Set(booked.filter(({ _id }) => byId.get(_id)?.series_id).map(({ _id }) => _id))}
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

export const Machine = ({ id }: { readonly id: string }) => {
  const reading = useMachine(id)
  const { failed } = reading
  // It may have left the scope since it was read.
  const isGone = failed?.status === 404 || failed?.status === 422
  return (
    <main class="main">
      {isGone ? (
        <Gone />
      ) : (
        <Loaded reading={reading} what="The machine" class="page" skeleton={8}>
          {(value) => <Content read={value} />}
        </Loaded>
      )}
    </main>
  )
}
