/** The first steps of a lab that has nothing. */

import { effect, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { ofKinds } from '../../data/query.ts'
import { MachineDialog } from '../../features/machines/machine-dialog.tsx'
import { MachineImport } from '../../features/machines/machine-import.tsx'
import { AddDialog } from '../../features/people/add-dialog.tsx'
import { take } from '../../features/view/view.ts'
import { MINUTE } from '../../format/format.ts'
import { usePage, useReading } from '../../page/context.ts'
import { useMachines, usePeople } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'

const KEPT = 'berth set-up'
/** Whether an administrator has begun with an empty lab, and has neither finished nor left. */
const isUnderWay = signal(localStorage.getItem(KEPT) !== null)
effect(() => {
  if (isUnderWay.value) localStorage.setItem(KEPT, 'begun')
  else localStorage.removeItem(KEPT)
})

const useSteps = () => {
  const [suts, people] = [useMachines(), usePeople()]
  const { byId } = usePage().reservations.all.value
  return { hasMachine: suts.size > 0, hasPerson: people.size > 1, hasReservation: byId.size > 0, suts }
}

/** Whether the steps are shown; undefined until that is known. */
export const useSetUp = (isAdministrator: boolean): boolean | undefined => {
  const { hasMachine, hasPerson, hasReservation } = useSteps()
  const isAsked = isAdministrator && (!hasMachine || (isUnderWay.value && !(hasPerson && hasReservation)))
  // Whether anybody has ever reserved a machine, which stays so whatever is retired or cancelled.
  const { value: wasReserved, failed } = useReading({
    ...{ key: `was reserved ${isAsked}`, ...ofKinds('sut_reservation') },
    read: async (source, _ids, before = false) => {
      if (before || !isAsked) return before
      return (await source.get('/api/sut_reservation?include=state,cancelled&limit=1')).value.count > 0
    },
  })
  useEffect(() => {
    if (wasReserved) isUnderWay.value = false
  }, [wasReserved])
  if (!isAsked || failed !== undefined) return false
  return wasReserved === undefined ? undefined : !wasReserved
}

export const SetUp = () => {
  const { hasMachine, hasPerson, hasReservation, suts } = useSteps()
  const [open, setOpen] = useState<'machine' | 'person' | 'import' | undefined>(undefined)
  const close = (): void => setOpen(undefined)
  const isAnswered = usePage().control.isAnswered.value
  useEffect(() => {
    isUnderWay.value = true
  }, [])
  const leave = (): void => {
    isUnderWay.value = false
  }
  const reserve = (): void => {
    const [first] = suts.keys()
    if (first === undefined) return
    leave()
    take(first, 30 * MINUTE)
  }
  /** `isNext`: whether what comes before it is done. */
  const steps = [
    {
      ...{ title: 'Add a machine', action: 'Add a machine', onPress: () => setOpen('machine') },
      ...{ isDone: hasMachine, isNext: true, isOff: false },
      text: 'A name, an address, a port, and VNC, RDP or plain TCP. Berth checks right away whether it answers.',
    },
    {
      ...{ title: 'Add a person', action: 'Add a person', onPress: () => setOpen('person') },
      ...{ isDone: hasPerson, isNext: hasMachine, isOff: false },
      text: 'Testers reserve machines, auditors read everything. Single sign-on adds people automatically.',
    },
    {
      ...{ title: 'Make a reservation', action: 'Reserve', onPress: reserve },
      ...{ isDone: hasReservation, isNext: hasMachine && hasPerson, isOff: !hasMachine },
      text: 'Reserve the machine for half an hour and open its screen, to see that everything works.',
    },
  ]
  return (
    <div>
      <div class="steps">
        <h1 class="t20">Set up your lab</h1>
        <p class="second under">Three steps. Then testers can help themselves.</p>
        <ol>
          {steps.map(({ title, action, text, isDone, isOff, isNext, onPress }, n) => (
            <li key={title} class={`step${isDone ? ' done' : isNext ? ' next' : ''}`}>
              <span class="n">{isDone ? <Icon name="check" /> : n + 1}</span>
              <h3>
                {title}
                {isDone && <span class="vh">, done</span>}
              </h3>
              {!isDone && (
                <Button
                  label={action}
                  look={isNext ? 'primary' : undefined}
                  disabled={isOff || !isAnswered}
                  onClick={onPress}
                />
              )}
              <p class="second">{text}</p>
            </li>
          ))}
        </ol>
        <p class="small muted">
          Many machines already?{' '}
          <button type="button" class="link" onClick={() => setOpen('import')}>
            Import a CSV file
          </button>
          , or <a href="/guide">read the guide</a>.
          {hasMachine && (
            <>
              {' '}
              Or{' '}
              <button type="button" class="link" onClick={leave}>
                go to the schedule
              </button>
              .
            </>
          )}
        </p>
      </div>
      {open === 'machine' && <MachineDialog known={undefined} onClose={close} />}
      {open === 'person' && <AddDialog onClose={close} />}
      {open === 'import' && <MachineImport onClose={close} />}
    </div>
  )
}
