import { useState } from 'preact/hooks'
import { SelectField } from '../../parts/choose/select.tsx'
import { useCommand } from '../../parts/commands/command.tsx'
import { Dialog } from '../../parts/commands/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
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

export const TokenDialog = ({ userId, role: ownRole, onIssued, onClose }: Props) => {
  const command = useCommand()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>(ownRole)
  const [expiry, setExpiry] = useState(String(90 * DAY))
  const submit = () => {
    const body = { name: name.trim(), role, ...(expiry !== '' && { expires_in: Number(expiry) }) }
    return command.send(`/api/user/${userId}/token`, { body }, ({ value }) => onIssued(value))
  }
  const { errors } = command
  return (
    <Dialog
      title="New token"
      command={command}
      action="Create token"
      isReady={name.trim() !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
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
