import { useEffect, useState } from 'preact/hooks'
import type { Checked } from '../../data/objects.ts'
import { formatClock, formatList } from '../../format/format.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { type Command, CommandButton, useCommand } from '../../parts/commands/command.tsx'
import { Dialog } from '../../parts/commands/dialog.tsx'
import { revisionOf } from '../../parts/commands/merge.ts'
import { StaleNote, useMergeForm } from '../../parts/commands/merge-form.tsx'
import { Input } from '../../parts/field.tsx'
import { Note, Status } from '../../parts/show/note.tsx'
import { outcomeOf } from '../../service/api.ts'
import { causeText } from '../events/causes.ts'
import { type Entry, labelOf, lastChange, readNewest } from '../events/entries.ts'
import { MachineFields } from './machine-fields.tsx'
import { changesOf, type Known, missingText, type Values, valuesOf } from './machine-values.ts'
import { checkMachine, knownMachine, saveMachine } from './save.ts'

interface Props {
  /** The machine to edit; undefined to add one. */
  readonly known: Known | undefined
  readonly onClose: () => void
}

export const MachineDialog = ({ known, onClose }: Props) => {
  const { api } = usePage()
  const command = useCommand()
  const checking = useCommand()
  const [reason, setReason] = useState('')
  const [checked, setChecked] = useState<Checked | undefined>(undefined)
  const [sutId, setSutId] = useState(known?.sut._id)
  const newest = useReading(knownMachine(sutId ?? '')).value
  const form = useMergeForm<Known, Values>({ command, first: known, newest, valuesOf })
  const { base, values, change, isStale, settle } = form
  const isDirty = base === undefined || changesOf(values, base).length > 0
  const { errors } = command
  const isDone = (checked !== undefined || checking.refused !== undefined) && !isDirty
  const missing = missingText(values)
  const check = async (id: string): Promise<void> => {
    const refused = await checking.run(
      () => checkMachine(api, id),
      ({ value }) => setChecked(value),
    )
    if (refused !== undefined) setChecked(undefined)
  }
  const save = () => {
    setChecked(undefined)
    checking.forgive()
    let saved = base
    const onSaved = (next: Known): void => {
      saved = next
      setSutId(next.sut._id)
      settle(next, false)
    }
    return command.run(
      () => saveMachine({ api, reason: reason.trim(), onSaved }, base, values),
      async () => {
        if (saved === undefined) return
        settle(saved)
        setReason('')
        await check(saved.sut._id)
      },
    )
  }
  const beside = (
    <span class="grow">
      <Input
        {...{ label: 'Reason (kept in the history)', placeholder: 'Reason (optional, kept in the history)' }}
        {...{ maxlength: 200, value: reason, onInput: setReason }}
      />
    </span>
  )
  return (
    <Dialog
      title={known === undefined ? 'Add a machine' : `Edit ${known.sut.name}`}
      command={{ ...command, isOff: command.isOff || checking.isBusy, unplaced: form.unplaced }}
      action={base === undefined ? 'Add' : 'Save'}
      isReady={!isStale && (!isDirty || missing === undefined)}
      isDone={isDone}
      onSubmit={isDirty ? save : onClose}
      onClose={onClose}
      beside={beside}
    >
      {base !== undefined && isStale && <MachineStaleNote base={base} onLoad={form.load} />}
      <MachineFields values={values} settings={base?.settings} errors={errors} change={change}>
        {base !== undefined && (
          <CheckNote known={base} checked={checked} command={checking} onAgain={() => check(base.sut._id)} />
        )}
      </MachineFields>
      <Status class="small muted said">{missing}</Status>
    </Dialog>
  )
}

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

/** `base` is what the form began with. */
const MachineStaleNote = ({ base, onLoad }: { readonly base: Known; readonly onLoad: () => void }) => {
  const page = usePage()
  const [entry, setEntry] = useState<Entry | undefined>(undefined)
  useEffect(() => {
    const revision = revisionOf(base.etag)
    // Where it is refused it is said without a name.
    void outcomeOf(readNewest(page.api, base.sut._id, LOOKED_AT)).then(
      ({ entries }) => entries && setEntry(lastChange(entries, revision)),
    )
  }, [base.etag])
  return <StaleNote onLoad={onLoad}>{changedText(entry, meOf(page)._id)}</StaleNote>
}

/** `it answers in 18 ms and accepts the password`. */
const checkedText = ({ reachable, cause, milliseconds }: Checked, { sut, settings }: Known): string => {
  if (!reachable) return `it does not answer: ${causeText(cause ?? '')}`
  const answers = `it answers in ${milliseconds} ms`
  if (cause === 'no_password') return `${answers}; without a password, signing in was not checked`
  return settings.has_password && sut.sut_type === 'vnc' ? `${answers} and accepts the password` : answers
}

interface CheckProps {
  readonly known: Known
  /** Undefined where it was refused, and before. */
  readonly checked: Checked | undefined
  readonly command: Command
  readonly onAgain: () => Promise<unknown>
}

export const CheckNote = ({ known, checked, command, onAgain }: CheckProps) => {
  if (checked === undefined && command.refused === undefined) return undefined
  const isOk = checked?.reachable === true
  return (
    <Note
      kind={isOk ? 'ok' : 'danger'}
      role="status"
      action={<CommandButton icon="pulse" label="Check again" look="small" command={command} onPress={onAgain} />}
    >
      {checked ? `As saved, ${checkedText(checked, known)}.` : command.refused?.message}
    </Note>
  )
}
