import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { UNKEPT } from '../../features/people/secret-note.tsx'
import type { User } from '../../features/people/user.ts'
import { usePage } from '../../page/context.ts'
import { useSending } from '../../page/sending.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { errorsByField, Switch, TextField } from '../../parts/field.tsx'
import { Note, RefusedNote } from '../../parts/show/note.tsx'
import { newKey } from '../../service/api.ts'

interface Props {
  readonly user: User
  readonly onClose: () => void
}

export const PasswordDialog = ({ user, onClose }: Props): VNode => {
  const isAnswered = usePage().control.isAnswered.value
  const { send, refused, isBusy } = useSending()
  const [password, setPassword] = useState('')
  const [areRevoked, setRevoked] = useState(false)
  const [isDone, setDone] = useState(false)
  const [isCopied, setCopied] = useState(false)
  const submit = async (): Promise<void> => {
    if (password === '' || !isAnswered) return
    const path = `/api/user/${encodeURIComponent(user._id)}/password`
    if ((await send(path, { password, revoke_tokens: areRevoked })) !== undefined) setDone(true)
  }
  const errors = errorsByField(refused)
  const foot = (
    <>
      <span class="grow" />
      {!isDone && <Button label="Cancel" look="quiet" onClick={onClose} />}
      <Button look="primary" type="submit" disabled={!isDone && (isBusy || !isAnswered || password === '')}>
        {isDone ? 'Done' : 'Set password'}
      </Button>
    </>
  )
  return (
    <Dialog
      title={`New password for ${user.name}`}
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={submit}
      foot={foot}
      isDone={isDone}
      question={isDone && !isCopied ? UNKEPT : undefined}
    >
      {refused !== undefined && errors.size === 0 && <RefusedNote refused={refused} />}
      {isDone ? (
        <Note kind="ok" action={<CopyButton text={password} isWide onCopied={() => setCopied(true)} />}>
          <div class="small">
            Password set, and all sessions ended. Give it to <bdi>{user.name}</bdi>.
          </div>
          <div class="mono secret">{password}</div>
        </Note>
      ) : (
        <>
          <div class="stack">
            <TextField
              id="new-password"
              label="New password"
              isFirst
              autocomplete="new-password"
              maxLength={1024}
              value={password}
              onInput={setPassword}
              error={errors.get('password')}
              hint="At least 8 characters. Ends all sessions."
            />
            <span>
              <Button label="Generate" look="quiet small" class="outdent" onClick={() => setPassword(newKey())} />
            </span>
          </div>
          <Switch className="small second" label="Also revoke tokens" isOn={areRevoked} onChange={setRevoked} />
        </>
      )}
    </Dialog>
  )
}
