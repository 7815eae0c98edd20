import { useComputed } from '@preact/signals'
import { useRef, useState } from 'preact/hooks'
import { HOUR } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Button } from '../../parts/button.tsx'
import { type Command, Confirm, useCommand } from '../../parts/commands/command.tsx'
import { Dialog } from '../../parts/commands/dialog.tsx'
import { useFields } from '../../parts/commands/fields.tsx'
import { useFocusReturn } from '../../parts/focus.ts'
import { RefusedNote } from '../../parts/show/note.tsx'
import { Section } from '../../parts/show/page.tsx'
import type { Role } from '../../service/session.ts'
import { SecretNote } from './secret-note.tsx'
import { expiryText, type IssuedToken, isExpiring, madeText, type Token, useTokens } from './tokens.ts'
import { ROLES, roleTextOf } from './user.ts'

interface RowProps {
  readonly token: Token
  readonly now: number
  readonly command: Command
  readonly onRevoke: () => Promise<unknown>
}

const Row = ({ token, now, command, onRevoke }: RowProps) => {
  const [isAsking, setAsking] = useState(false)
  const row = useRef<HTMLLIElement>(null)
  useFocusReturn(row, 'Revoke')
  return (
    <li ref={row}>
      {isAsking ? (
        <Confirm
          question={`Revoke ${token.name}? Whatever uses it stops working right away.`}
          action="Revoke"
          doing="Revoking…"
          command={command}
          onConfirm={onRevoke}
          onClose={() => setAsking(false)}
        />
      ) : (
        <div class="row">
          <div class="grow">
            <bdi class="medium">{token.name}</bdi>
            <div class="small muted">
              {roleTextOf(token.role)}, created {madeText(token, now)}
            </div>
          </div>
          <span class={isExpiring(token, now) ? 'small warn nowrap' : 'small second nowrap'}>
            {expiryText(token, now)}
          </span>
          <Button
            label="Revoke"
            look="quiet small"
            aria-label={`Revoke ${token.name}`}
            disabled={command.isOff}
            onClick={() => setAsking(true)}
          />
        </div>
      )}
    </li>
  )
}

interface Props {
  /** `me`, or the id of another user. */
  readonly userId: string
  readonly role: Role
  readonly isPart?: boolean
}

export const TokenSection = ({ userId, role, isPart }: Props) => {
  const { clock } = usePage()
  const now = useComputed(() => Math.floor(clock.value / HOUR) * HOUR).value
  const path = encodeURIComponent(userId)
  const reading = useTokens(path)
  const { retry } = reading
  const command = useCommand()
  const [isAdding, setAdding] = useState(false)
  const [issued, setIssued] = useState<IssuedToken | undefined>(undefined)
  const revoke = (id: string) =>
    command.send(`/api/user/${path}/token/${id}/revoke`, undefined, () => {
      if (issued?._id === id) setIssued(undefined)
      retry()
    })
  const onIssued = (token: IssuedToken): void => {
    setIssued(token)
    setAdding(false)
    retry()
  }
  const add = (
    <Button icon="plus" label="New token" look="small" disabled={command.isOff} onClick={() => setAdding(true)} />
  )
  return (
    <Section title="Tokens" isPart={isPart} beside={add}>
      {issued && <SecretNote name={issued.name} secret={issued.token} ifLost="Revoke it and create another." />}
      <RefusedNote refused={command.refused} />
      <Loaded reading={reading} what="The tokens">
        {(tokens) =>
          tokens.length === 0 ? (
            <p class="muted">{isPart ? 'None' : 'No tokens yet. Scripts use a token instead of a password.'}</p>
          ) : (
            <ul class="stack">
              {tokens.map((token) => (
                <Row key={token._id} {...{ token, now, command }} onRevoke={() => revoke(token._id)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <TokenDialog userId={path} role={role} onIssued={onIssued} onClose={() => setAdding(false)} />}
    </Section>
  )
}

const DAY = 86_400
const EXPIRIES: readonly (readonly [string, string])[] = [
  [String(7 * DAY), 'In a week'],
  [String(30 * DAY), 'In 30 days'],
  [String(90 * DAY), 'In 90 days'],
  [String(365 * DAY), 'In a year'],
  ['', 'Never'],
]

interface TokenDialogProps extends Omit<Props, 'isPart'> {
  readonly onIssued: (token: IssuedToken) => void
  readonly onClose: () => void
}

const TokenDialog = ({ userId, role: ownRole, onIssued, onClose }: TokenDialogProps) => {
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
