import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { SecretNote, UNKEPT } from '../../features/people/secret-note.tsx'
import { usePage } from '../../page/context.ts'
import { useSending } from '../../page/sending.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { errorsByField, TextField } from '../../parts/field.tsx'
import { Name } from '../../parts/show/name.tsx'
import { Note, RefusedNote } from '../../parts/show/note.tsx'
import type { Schemas } from '../../service/api.ts'
import { PersonFields } from './fields.tsx'
import { creationOf, EMPTY, type Values, wrongLimits } from './form.ts'

interface Added {
  /** The password is shown once, where Berth made it. */
  readonly user: Schemas['NewUser']
  readonly isTyped: boolean
}

const AddedNote = ({
  added: { user, isTyped },
  onCopied,
}: {
  readonly added: Added
  readonly onCopied: () => void
}): VNode =>
  isTyped ? (
    <Note kind="ok">
      <Name of={user.name} /> was added.
    </Note>
  ) : (
    <SecretNote
      name={`${user.name}’s password`}
      secret={user.password}
      ifLost="The person was added. Set a new password."
      onCopied={onCopied}
    />
  )

interface Props {
  readonly onAdded?: () => void
  readonly onClose: () => void
}

export const AddDialog = ({ onAdded, onClose }: Props): VNode => {
  const isAnswered = usePage().control.isAnswered.value
  const { send, refused, isBusy } = useSending()
  const [values, setValues] = useState<Values>(EMPTY)
  const [password, setPassword] = useState('')
  /** Those added so far, whose passwords stay in view, the newest first. */
  const [added, setAdded] = useState<readonly Added[]>([])
  const [isAdding, setAdding] = useState(true)
  const [copied, setCopied] = useState<ReadonlySet<string>>(new Set())
  const hasUnkept = added.some(({ user, isTyped }) => !isTyped && user.password !== undefined && !copied.has(user._id))
  useEffect(() => {
    if (isAdding) document.getElementById('new-name')?.focus()
  }, [isAdding])
  const isOff = isBusy || !isAnswered || values.name.trim() === '' || wrongLimits(values).length > 0
  const submit = async (): Promise<void> => {
    if (isOff) return
    const answer = await send('/api/user/create', creationOf(values, password))
    if (answer === undefined) return
    setAdded([{ user: answer.value, isTyped: password !== '' }, ...added])
    setAdding(false)
    onAdded?.()
  }
  const another = (): void => {
    setAdding(true)
    setValues({ ...values, name: '' })
    setPassword('')
  }
  const errors = errorsByField(refused)
  const foot = (close: () => void): VNode =>
    isAdding ? (
      <>
        <span class="grow" />
        <Button label="Cancel" look="quiet" onClick={close} />
        <Button label="Add" look="primary" type="submit" disabled={isOff} />
      </>
    ) : (
      <>
        <span class="grow" />
        <Button label="Add another" onClick={another} />
        <Button label="Done" look="primary" type="submit" />
      </>
    )
  return (
    <Dialog
      title="Add a person"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={submit}
      foot={foot}
      isDone={!isAdding}
      question={hasUnkept ? UNKEPT : undefined}
    >
      {added.map((each) => (
        <AddedNote key={each.user._id} added={each} onCopied={() => setCopied(new Set([...copied, each.user._id]))} />
      ))}
      {refused !== undefined && errors.size === 0 && <RefusedNote refused={refused} />}
      {isAdding && (
        <>
          <PersonFields id="new" isFirst values={values} base={EMPTY} errors={errors} onChange={setValues} />
          <TextField
            id="new-password"
            type="password"
            autocomplete="new-password"
            maxLength={1024}
            label="Password"
            hint="Leave empty to have Berth create one and show it once."
            value={password}
            onInput={setPassword}
            error={errors.get('password')}
          />
        </>
      )}
    </Dialog>
  )
}
