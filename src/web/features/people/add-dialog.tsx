import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { useCommand } from '../../parts/commands/command.tsx'
import { Dialog } from '../../parts/commands/dialog.tsx'
import { useFields } from '../../parts/commands/fields.tsx'
import { Name, Note } from '../../parts/show/note.tsx'
import type { Schemas } from '../../service/api.ts'
import { PersonFields } from './person-fields.tsx'
import { creationOf, EMPTY, wrongLimits } from './person-values.ts'
import { SecretNote, UNKEPT } from './secret-note.tsx'

interface Added {
  /** The password is shown once, where Berth made it. */
  readonly user: Schemas['NewUser']
  readonly isTyped: boolean
}

export const AddDialog = ({ onAdded, onClose }: { readonly onAdded?: () => void; readonly onClose: () => void }) => {
  const command = useCommand()
  const { errors } = command
  const { values, change, text } = useFields('new', { ...EMPTY, password: '' }, errors)
  /** Those added so far, whose passwords stay in view, the newest first. */
  const [added, setAdded] = useState<readonly Added[]>([])
  const [isAdding, setAdding] = useState(true)
  const [copied, setCopied] = useState<ReadonlySet<string>>(new Set())
  const hasUnkept = added.some(({ user, isTyped }) => !isTyped && user.password !== undefined && !copied.has(user._id))
  useEffect(() => {
    if (isAdding) document.getElementById('new-name')?.focus()
  }, [isAdding])
  const submit = () =>
    command.send('/api/user/create', { body: creationOf(values) }, ({ value }) => {
      setAdded([{ user: value, isTyped: values.password !== '' }, ...added])
      setAdding(false)
      onAdded?.()
    })
  const another = (): void => {
    setAdding(true)
    change({ name: '', password: '' })
  }
  const beside = isAdding ? undefined : (
    <>
      <span class="grow" />
      <Button label="Add another" onClick={another} />
    </>
  )
  return (
    <Dialog
      title="Add a person"
      command={command}
      action="Add"
      isReady={values.name.trim() !== '' && wrongLimits(values).length === 0}
      onSubmit={submit}
      onClose={onClose}
      isDone={!isAdding}
      question={hasUnkept ? UNKEPT : undefined}
      beside={beside}
    >
      {added.map(({ user: { _id, name, password }, isTyped }) =>
        isTyped ? (
          <Note key={_id} kind="ok">
            <Name of={name} /> was added.
          </Note>
        ) : (
          <SecretNote
            key={_id}
            name={`${name}’s password`}
            secret={password}
            ifLost="The person was added. Set a new password."
            onCopied={() => setCopied(new Set([...copied, _id]))}
          />
        ),
      )}
      {isAdding && (
        <>
          <PersonFields id="new" isFirst values={values} base={EMPTY} errors={errors} onChange={change} />
          {text('password', 'Password', {
            ...{ type: 'password', autocomplete: 'new-password', maxlength: 1024 },
            hint: 'Leave empty to have Berth create one and show it once.',
          })}
        </>
      )}
    </Dialog>
  )
}
