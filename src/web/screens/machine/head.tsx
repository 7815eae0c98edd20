import { useState } from 'preact/hooks'
import type { Checked, Sut } from '../../data/objects.ts'
import { CheckNote } from '../../features/machines/machine-dialog.tsx'
import type { MachineState } from '../../features/machines/machine-state.ts'
import type { Known } from '../../features/machines/machine-values.ts'
import { checkMachine } from '../../features/machines/save.ts'
import { take } from '../../features/view/view.ts'
import { formatWhen, HOUR } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { goTo, linkTo } from '../../page/location.ts'
import { Button } from '../../parts/button.tsx'
import { MoreMenu } from '../../parts/choose/menu.tsx'
import { CommandButton, Confirm, useCommand } from '../../parts/commands/command.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Name, Note, RefusedNote } from '../../parts/show/note.tsx'

interface Props {
  readonly sut: Sut
  /** With its settings, for administrators. */
  readonly known: Known | undefined
  readonly state: MachineState
  readonly who: string | undefined
  readonly now: number
  readonly mayReserve: boolean
  readonly onEdit: () => void
}

export const Head = ({ sut, known, state, who, now, mayReserve, onEdit }: Props) => {
  const { api } = usePage()
  const { running } = state
  const isBroken = state.kind === 'off'
  const command = useCommand()
  const checking = useCommand()
  const [checked, setChecked] = useState<Checked | undefined>(undefined)
  const [isRetiring, setRetiring] = useState(false)
  const send = (verb: string, body?: object, onDone?: () => void) =>
    command.send(`/api/sut/${sut._id}/${verb}`, { body, ifMatch: known?.etag }, onDone)
  const check = () => {
    setChecked(undefined)
    return checking.run(
      () => checkMachine(api, sut._id),
      ({ value }) => setChecked(value),
    )
  }
  const isUnmonitored = known?.settings.monitoring_interval === null
  const choices = [
    { key: 'active', text: sut.is_active ? 'Block reservations' : 'Allow reservations' },
    { key: 'probe', text: isUnmonitored ? 'Turn on monitoring' : 'Turn off monitoring' },
    { key: 'retire', text: 'Retire…' },
  ]
  const choose = (key: string): void => {
    if (key === 'active') void send('update', { is_active: !sut.is_active })
    if (key === 'probe') void send('monitoring', { enabled: isUnmonitored })
    if (key === 'retire') setRetiring(true)
  }
  // It has no port any more.
  const isRetired = known?.settings.listen_port === null
  const mayChange = known !== undefined && !isRetired
  return (
    <div>
      <nav class="small path" aria-label="Path">
        <a href={linkTo('machines')}>Machines</a>{' '}
        <span class="muted">
          / <bdi>{sut.name}</bdi>
        </span>
      </nav>
      <div class="row page-head machine-head">
        <h1 class="t20">
          <bdi>{sut.name}</bdi>
        </h1>
        <span class="row now-state">
          <Icon name={state.icon} />
          <span class="second">
            {(isBroken || running === undefined) && <span class={isBroken ? 'danger' : ''}>{state.text}</span>}
            {isBroken && running !== undefined && ', '}
            {running !== undefined && (
              <>
                <Name of={who} /> until {formatWhen(running.to, now)}
              </>
            )}
          </span>
        </span>
        <span class="grow" />
        {mayChange && (
          <>
            <CommandButton icon="pulse" label="Check now" look="quiet" command={checking} onPress={check} />
            <Button icon="edit" label="Edit" disabled={command.isOff} onClick={onEdit} />
          </>
        )}
        {mayReserve && !isRetired && (
          <Button
            {...{ label: 'Reserve', icon: 'plus', look: 'primary', disabled: !sut.is_active || command.isOff }}
            onClick={() => take(sut._id, HOUR)}
          />
        )}
        {mayChange && <MoreMenu label="More actions" choices={choices} isDisabled={command.isOff} onChoose={choose} />}
      </div>
      {isRetired && (
        <Note kind="plain">This machine is retired. It is no longer in any list; its history is kept.</Note>
      )}
      {isRetiring && (
        <Note kind="danger" role="note">
          <Confirm
            command={command}
            question={`Retire ${sut.name}? It is removed from all lists. Its history is kept.`}
            action="Retire"
            doing="Retiring…"
            onConfirm={() => send('retire', undefined, () => goTo('machines'))}
            onClose={() => setRetiring(false)}
          />
        </Note>
      )}
      <RefusedNote refused={command.refused} />
      {known !== undefined && <CheckNote known={known} checked={checked} command={checking} onAgain={check} />}
    </div>
  )
}
