import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Checked } from '../../data/objects.ts'
import { usePage } from '../../page/context.ts'
import { useReading } from '../../page/use-reading.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { errorsByField } from '../../parts/field.tsx'
import { RefusedNote } from '../../parts/show/note.tsx'
import type { Refused } from '../../service/api.ts'
import { CheckNote } from './check-note.tsx'
import { changesOf, EMPTY, type Known, missingText, rebase, revisionOf, type Values, valuesOf } from './form.ts'
import { MachineFields, Probing, TagsAndState } from './machine-fields.tsx'
import { checkMachine, knownMachine, makeKeyring, saveMachine } from './save.ts'
import { StaleNote } from './stale-note.tsx'

interface Props {
  /** The machine to edit; undefined to add one. */
  readonly known: Known | undefined
  readonly onClose: () => void
  readonly onAdded?: (sutId: string) => void
}

const useForm = ({ known: first, onAdded }: Props) => {
  const { api } = usePage()
  const [base, setBase] = useState(first)
  const [values, setValues] = useState<Values>(first === undefined ? EMPTY : valuesOf(first))
  const [reason, setReason] = useState('')
  const [refused, setRefused] = useState<Refused | undefined>(undefined)
  const [checked, setChecked] = useState<Checked | Refused | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const keyFor = useMemo(makeKeyring, [])
  const id = base?.sut._id ?? ''
  const newest = useReading(knownMachine(id)).value
  // What this form saves is told as a change, too, before the answer is here.
  const isStale =
    !isBusy && base !== undefined && newest !== undefined && revisionOf(newest.etag) > revisionOf(base.etag)

  const check = async (sutId: string): Promise<void> => {
    setBusy(true)
    setChecked(await checkMachine(api, sutId))
    setBusy(false)
  }
  const save = async (): Promise<void> => {
    setBusy(true)
    setRefused(undefined)
    setChecked(undefined)
    const saved = await saveMachine({ api, keyFor, reason: reason.trim() }, base, values)
    setBusy(false)
    const { known } = saved
    if (known !== undefined && base === undefined) onAdded?.(known.sut._id)
    if (saved.kind === 'refused') {
      setRefused(saved.refused)
      if (known !== undefined) setBase(known)
      return
    }
    setBase(saved.known)
    setValues(valuesOf(saved.known))
    setReason('')
    await check(saved.known.sut._id)
  }
  const load = (): void => {
    if (base === undefined || newest === undefined) return
    setValues(rebase(values, valuesOf(base), valuesOf(newest)))
    setBase(newest)
    setRefused(undefined)
  }
  const change = (part: Partial<Values>): void => setValues((before) => ({ ...before, ...part }))
  return { base, values, change, reason, setReason, refused, checked, isBusy, isStale, check, save, load }
}

export const MachineDialog = (props: Props): VNode => {
  const { known, onClose } = props
  const { control } = usePage()
  const isAnswered = control.isAnswered.value
  const form = useForm(props)
  const { base, values, change, refused, checked, isBusy, isStale } = form
  const isDirty = base === undefined || changesOf(values, base).length > 0
  const errors = errorsByField(refused)
  const isDone = checked !== undefined && !isDirty
  const takesPassword = base?.settings.has_password === true && base.sut.sut_type === 'vnc'
  const missing = missingText(values)
  const isOff = isBusy || isStale || (isDirty && (!isAnswered || missing !== undefined))
  const submit = (): void => {
    if (isOff) return
    if (isDirty) void form.save()
    else onClose()
  }
  const foot = (
    <div class="row grow">
      <label class="wide">
        <span class="vh">Reason (kept in the history)</span>
        <input
          class="input"
          maxlength={200}
          placeholder="Reason (optional, kept in the history)"
          value={form.reason}
          onInput={({ target }: Event) => form.setReason((target as HTMLInputElement).value)}
        />
      </label>
      {!isDone && <Button label="Cancel" look="quiet" onClick={onClose} />}
      <Button look="primary" type="submit" disabled={isOff}>
        {isDone ? 'Done' : base === undefined ? 'Add' : 'Save'}
      </Button>
    </div>
  )
  const title = known === undefined ? 'Add a machine' : `Edit ${known.sut.name}`
  // A change of another tab is noted above; that the request was refused says nothing more.
  const isShown = refused !== undefined && errors.size === 0 && !(isStale && refused.problem.code === 'stale')
  return (
    <Dialog title={title} isBusy={isBusy} onClose={onClose} onSubmit={submit} foot={foot}>
      {base !== undefined && isStale && <StaleNote sutId={base.sut._id} etag={base.etag} onLoad={form.load} />}
      {isShown && <RefusedNote refused={refused} />}
      <MachineFields values={values} settings={base?.settings} errors={errors} change={change}>
        {checked !== undefined && base !== undefined && (
          <CheckNote
            checked={checked}
            takesPassword={takesPassword}
            isBusy={isBusy}
            onAgain={() => form.check(base.sut._id)}
          />
        )}
      </MachineFields>
      <TagsAndState values={values} errors={errors} change={change} />
      <Probing values={values} errors={errors} change={change} />
      <p class="small muted said" role="status">
        {missing}
      </p>
    </Dialog>
  )
}
