import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Checked, Sut } from '../../data/objects.ts'
import { checkedText } from '../../features/machines/check-note.tsx'
import type { Known } from '../../features/machines/form.ts'
import { checkMachine } from '../../features/machines/save.ts'
import type { MachineState } from '../../features/machines/state.ts'
import { formatWhen } from '../../format/format.ts'
import { HOUR } from '../../format/times.ts'
import { usePage } from '../../page/context.ts'
import { goTo, linkTo } from '../../page/location.ts'
import { Button } from '../../parts/button.tsx'
import { MenuButton } from '../../parts/choose/menu.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Name } from '../../parts/show/name.tsx'
import { Note, RefusedNote } from '../../parts/show/note.tsx'
import { Refused } from '../../service/api.ts'
import { take } from '../schedule/grid/view.ts'

interface Props {
  readonly sut: Sut
  /** With its settings, for administrators. */
  readonly known: Known | undefined
  readonly state: MachineState
  readonly who: string | undefined
  readonly now: number
  readonly mayReserve: boolean
  readonly isAnswered: boolean
  readonly onEdit: () => void
}

const Now = ({ state, who, now }: Pick<Props, 'state' | 'who' | 'now'>): VNode => {
  const { running, icon, text } = state
  const isBroken = state.kind === 'off'
  return (
    <span class="row now-state">
      <Icon name={icon} />
      <span class="second">
        {(isBroken || running === undefined) && <span class={isBroken ? 'danger' : ''}>{text}</span>}
        {isBroken && running !== undefined && ', '}
        {running !== undefined && (
          <>
            <Name of={who} /> until {formatWhen(running.to, now)}
          </>
        )}
      </span>
    </span>
  )
}

/** Commands about the machine itself: one at a time, what was refused stays until the next. */
const useActions = ({ sut, known }: Pick<Props, 'sut' | 'known'>) => {
  const { api } = usePage()
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<Refused | undefined>(undefined)
  const [checked, setChecked] = useState<Checked | undefined>(undefined)
  /** Tells whether it was done. */
  const busily = async (run: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setRefused(undefined)
    setChecked(undefined)
    const result = await run().catch((error: unknown) => error)
    setBusy(false)
    if (result instanceof Refused) setRefused(result)
    else if (result instanceof Error) throw result
    return !(result instanceof Refused)
  }
  const send = (verb: string, body?: object): Promise<boolean> =>
    busily(() => api.send(`/api/sut/${sut._id}/${verb}`, { body, ifMatch: known?.etag }))
  const check = (): Promise<boolean> =>
    busily(async () => {
      const found = await checkMachine(api, sut._id)
      if (found instanceof Refused) throw found
      setChecked(found)
    })
  return { isBusy, refused, checked, send, check }
}

type Actions = ReturnType<typeof useActions>

const Retire = ({ sut, actions, onBack }: { sut: Sut; actions: Actions; onBack: () => void }): VNode => {
  const retire = async (): Promise<void> => {
    if (await actions.send('retire')) goTo('machines')
    else onBack()
  }
  return (
    <Note
      kind="danger"
      action={
        <>
          <Button
            look="danger"
            disabled={actions.isBusy}
            ref={(button: HTMLElement | null) => button?.focus()}
            onClick={retire}
          >
            Retire
          </Button>
          <Button label="Keep it" onClick={onBack} />
        </>
      }
    >
      Retire <bdi>{sut.name}</bdi>? It is removed from all lists. Its history is kept.
    </Note>
  )
}

const CheckResult = ({ checked, takesPassword }: { checked: Checked; takesPassword: boolean }): VNode => {
  const text = checkedText(checked, takesPassword)
  return (
    <Note kind={checked.reachable ? 'ok' : 'danger'} role="status">
      {text.charAt(0).toUpperCase()}
      {text.slice(1)}.
    </Note>
  )
}

export const Head = (props: Props): VNode => {
  const { sut, known, mayReserve, isAnswered, onEdit } = props
  const actions = useActions(props)
  const [isRetiring, setRetiring] = useState(false)
  const isOff = actions.isBusy || !isAnswered
  const choices = [
    { key: 'active', text: sut.is_active ? 'Block reservations' : 'Allow reservations' },
    { key: 'probe', text: known?.settings.monitoring_interval === null ? 'Turn on monitoring' : 'Turn off monitoring' },
    { key: 'retire', text: 'Retire…' },
  ]
  const choose = (key: string): void => {
    if (key === 'active') void actions.send('update', { is_active: !sut.is_active })
    if (key === 'probe') void actions.send('monitoring', { enabled: known?.settings.monitoring_interval === null })
    if (key === 'retire') setRetiring(true)
  }
  // It has no port any more.
  const isRetired = known !== undefined && known.settings.listen_port === null
  const mayChange = known !== undefined && !isRetired
  const takesPassword = known?.settings.has_password === true && sut.sut_type === 'vnc'
  return (
    <div>
      <nav class="small path" aria-label="Path">
        <a href={linkTo('machines')}>Machines</a>{' '}
        <span class="muted">
          / <bdi>{sut.name}</bdi>
        </span>
      </nav>
      <div class="page-head machine-head">
        <h1 class="t20">
          <bdi>{sut.name}</bdi>
        </h1>
        <Now {...props} />
        <span class="grow" />
        {mayChange && (
          <>
            <Button icon="pulse" label="Check now" look="quiet" disabled={isOff} onClick={actions.check} />
            <Button icon="edit" label="Edit" disabled={isOff} onClick={onEdit} />
          </>
        )}
        {mayReserve && !isRetired && (
          <Button
            icon="plus"
            look="primary"
            disabled={!sut.is_active || !isAnswered}
            onClick={() => take(sut._id, HOUR)}
          >
            Reserve
          </Button>
        )}
        {mayChange && (
          <MenuButton
            label="More actions"
            icon="more"
            className="btn icon quiet"
            choices={choices}
            isDisabled={isOff}
            onChoose={choose}
          />
        )}
      </div>
      {isRetired && (
        <Note kind="plain">This machine is retired. It is no longer in any list; its history is kept.</Note>
      )}
      {isRetiring && <Retire sut={sut} actions={actions} onBack={() => setRetiring(false)} />}
      <RefusedNote refused={actions.refused} />
      {actions.checked !== undefined && <CheckResult checked={actions.checked} takesPassword={takesPassword} />}
    </div>
  )
}
