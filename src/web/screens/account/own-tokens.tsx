import { useComputed } from '@preact/signals'
import type { VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { SecretNote } from '../../features/people/secret-note.tsx'
import { TokenDialog } from '../../features/people/token-dialog.tsx'
import { expiryOf, type IssuedToken, madeText, type Token, useTokens } from '../../features/people/tokens.ts'
import { roleTextOf } from '../../features/people/user.ts'
import { HOUR } from '../../format/times.ts'
import { usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/commands/confirm.tsx'
import { type Command, useCommand } from '../../parts/commands/use-command.ts'
import { useFocusReturn } from '../../parts/focus.ts'
import { RefusedNote } from '../../parts/show/note.tsx'
import { Section } from '../../parts/show/page.tsx'
import type { Role } from '../../service/session.ts'

interface RowProps {
  readonly token: Token
  readonly now: number
  readonly command: Command
  readonly onRevoke: () => Promise<unknown>
}

const Row = ({ token, now, command, onRevoke }: RowProps): VNode => {
  const [isAsking, setAsking] = useState(false)
  const row = useRef<HTMLTableRowElement>(null)
  useFocusReturn(row, 'Revoke')
  const expiry = expiryOf(token, now)
  if (isAsking)
    return (
      <tr ref={row}>
        <td colSpan={5}>
          <Confirm
            command={command}
            question={`Revoke ${token.name}? Whatever uses it stops working right away.`}
            action="Revoke"
            doing="Revoking…"
            onConfirm={onRevoke}
            onClose={() => setAsking(false)}
          />
        </td>
      </tr>
    )
  return (
    <tr ref={row}>
      <td class="medium clip token-name">
        <bdi>{token.name}</bdi>
      </td>
      <td class="second">{roleTextOf(token.role)}</td>
      <td class="second num">{madeText(token, now)}</td>
      <td class="second num">
        <span class={expiry?.isExpiring ? 'warn' : ''}>{expiry?.text ?? 'never'}</span>
      </td>
      <td class="r">
        <button
          type="button"
          class="btn quiet small"
          aria-label={`Revoke ${token.name}`}
          disabled={command.isOff}
          onClick={() => setAsking(true)}
        >
          Revoke
        </button>
      </td>
    </tr>
  )
}

const Table = ({ tokens, ...row }: Pick<RowProps, 'now' | 'command'> & TableProps): VNode => (
  <div class="table-scroll" tabindex={0} role="region" aria-label="Your tokens">
    <table class="table plain tokens">
      <thead>
        <tr>
          <th>Name</th>
          <th>Role</th>
          <th>Created</th>
          <th>Expires</th>
          <th>
            <span class="vh">Revoke</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <Row key={token._id} {...row} token={token} onRevoke={() => row.onRevoke(token)} />
        ))}
      </tbody>
    </table>
  </div>
)

interface TableProps {
  readonly tokens: readonly Token[]
  readonly onRevoke: (token: Token) => Promise<unknown>
}

export const Tokens = ({ role }: { readonly role: Role }): VNode => {
  const page = usePage()
  const now = useComputed(() => Math.floor(page.clock.value / HOUR) * HOUR).value
  const [isAdding, setAdding] = useState(false)
  const [issued, setIssued] = useState<IssuedToken | undefined>(undefined)
  const command = useCommand()
  const reading = useTokens('me')
  const { retry } = reading
  const onIssued = (token: IssuedToken): void => {
    setAdding(false)
    setIssued(token)
    retry()
  }
  const revoke = ({ _id }: Token) =>
    command.send(`/api/user/me/token/${_id}/revoke`, undefined, () => {
      if (issued?._id === _id) setIssued(undefined)
      retry()
    })
  return (
    <Section
      title="Tokens"
      beside={
        <Button icon="plus" look="small" disabled={command.isOff} onClick={() => setAdding(true)}>
          New token
        </Button>
      }
    >
      {issued !== undefined && (
        <SecretNote name={issued.name} secret={issued.token} ifLost="Revoke it and create another." />
      )}
      <RefusedNote refused={command.refused} />
      <Loaded reading={reading} what="The tokens">
        {(tokens) =>
          tokens.length === 0 ? (
            <p class="muted">No tokens yet. Scripts use a token instead of a password.</p>
          ) : (
            <Table tokens={tokens} now={now} command={command} onRevoke={revoke} />
          )
        }
      </Loaded>
      {isAdding && <TokenDialog userId="me" role={role} onIssued={onIssued} onClose={() => setAdding(false)} />}
    </Section>
  )
}
