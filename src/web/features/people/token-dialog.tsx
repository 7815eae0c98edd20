import { useCommand } from '../../parts/commands/command.tsx'
import { Dialog } from '../../parts/commands/dialog.tsx'
import { useFields } from '../../parts/commands/fields.tsx'
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
  const first = { name: '', role: ownRole, expires_in: String(90 * DAY) }
  const { values, text, select } = useFields('token', first, command.errors)
  const name = values.name.trim()
  const submit = () => {
    const body = { name, role: values.role, ...(values.expires_in !== '' && { expires_in: Number(values.expires_in) }) }
    return command.send(`/api/user/${userId}/token`, { body }, ({ value }) => onIssued(value))
  }
  return (
    <Dialog
      title="New token"
      command={command}
      action="Create token"
      isReady={name !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      {text('name', 'Purpose', { placeholder: 'nightly build', autofocus: true, maxlength: 64 })}
      {ownRole === 'administrator' &&
        select('role', 'Role', ROLES, { className: 's3 f6', hint: 'What the token may do' })}
      {select('expires_in', 'Expires', EXPIRIES, { className: 's3 f6' })}
    </Dialog>
  )
}
