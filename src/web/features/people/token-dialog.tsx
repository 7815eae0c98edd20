import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { usePage } from '../../page/context.ts'
import { useSending } from '../../page/sending.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { errorsByField, SelectField, TextField } from '../../parts/field.tsx'
import { RefusedNote } from '../../parts/show/note.tsx'
import type { Role } from '../../service/session.ts'
import type { IssuedToken } from './tokens.ts'
import { ROLES } from './user.ts'

const DAY = 86_400
const EXPIRIES: readonly (readonly [string, string])[] = [
  [String(7 * DAY), 'In a week'],
  [String(30 * DAY), 'In 30 days'],
  [String(90 * DAY), 'In 90 days'],
  [String(365 * DAY), 'In a year'],
  ['', 'Never'],
]

interface Props {
  /** `me`, or the id of another user. */
  readonly userId: string
  readonly role: Role
  readonly onIssued: (token: IssuedToken) => void
  readonly onClose: () => void
}

export const TokenDialog = ({ userId, role: ownRole, onIssued, onClose }: Props): VNode => {
  const isAnswered = usePage().control.isAnswered.value
  const { send, refused, isBusy } = useSending()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>(ownRole)
  const [expiry, setExpiry] = useState(String(90 * DAY))
  const submit = async (): Promise<void> => {
    if (name.trim() === '' || !isAnswered) return
    const body = { name: name.trim(), role, ...(expiry !== '' && { expires_in: Number(expiry) }) }
    const issued = await send(`/api/user/${userId}/token`, body)
    if (issued !== undefined) onIssued(issued.value)
  }
  const errors = errorsByField(refused)
  const foot = (
    <>
      <span class="grow" />
      <Button label="Cancel" look="quiet" onClick={onClose} />
      <Button look="primary" type="submit" disabled={isBusy || !isAnswered || name.trim() === ''}>
        Create token
      </Button>
    </>
  )
  return (
    <Dialog title="New token" isBusy={isBusy} onClose={onClose} onSubmit={submit} foot={foot}>
      {refused !== undefined && errors.size === 0 && <RefusedNote refused={refused} />}
      <TextField
        id="token-name"
        label="Purpose"
        placeholder="nightly build"
        isFirst
        maxLength={64}
        value={name}
        onInput={setName}
        error={errors.get('name')}
      />
      {ownRole === 'administrator' && (
        <SelectField
          id="token-role"
          className="s3 f6"
          label="Role"
          value={role}
          options={ROLES}
          onChange={setRole}
          hint="What the token may do"
          error={errors.get('role')}
        />
      )}
      <SelectField
        id="token-expiry"
        className="s3 f6"
        label="Expires"
        value={expiry}
        options={EXPIRIES}
        onChange={setExpiry}
        error={errors.get('expires_in')}
      />
    </Dialog>
  )
}
