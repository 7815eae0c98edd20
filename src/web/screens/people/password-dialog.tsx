import { useState } from 'preact/hooks'
import { UNKEPT } from '../../features/people/secret-note.tsx'
import type { User } from '../../features/people/user.ts'
import { Button } from '../../parts/button.tsx'
import { useCommand } from '../../parts/commands/command.tsx'
import { Dialog } from '../../parts/commands/dialog.tsx'
import { useFields } from '../../parts/commands/fields.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Switch } from '../../parts/field.tsx'
import { Note } from '../../parts/show/note.tsx'
import { newKey } from '../../service/api.ts'

export const PasswordDialog = ({ user, onClose }: { readonly user: User; readonly onClose: () => void }) => {
  const command = useCommand()
  const {
    values: { password },
    change,
    text,
  } = useFields('new', { password: '' }, command.errors)
  const [areRevoked, setRevoked] = useState(false)
  const [isDone, setDone] = useState(false)
  const [isCopied, setCopied] = useState(false)
  const submit = () =>
    command.send(
      `/api/user/${encodeURIComponent(user._id)}/password`,
      { body: { password, revoke_tokens: areRevoked } },
      () => setDone(true),
    )
  return (
    <Dialog
      title={`New password for ${user.name}`}
      command={command}
      action="Set password"
      isReady={password !== ''}
      onSubmit={submit}
      onClose={onClose}
      isDone={isDone}
      question={isDone && !isCopied ? UNKEPT : undefined}
    >
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
            {text('password', 'New password', {
              ...{ autofocus: true, autocomplete: 'new-password', maxlength: 1024 },
              hint: 'At least 8 characters. Ends all sessions.',
            })}
            <span>
              <Button
                label="Generate"
                look="quiet small"
                class="outdent"
                onClick={() => change({ password: newKey() })}
              />
            </span>
          </div>
          <Switch className="small second" label="Also revoke tokens" isOn={areRevoked} onChange={setRevoked} />
        </>
      )}
    </Dialog>
  )
}
