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
import { useSending } from '../../page/sending.ts'
import { Button } from '../../parts/button.tsx'
import { RefusedNote } from '../../parts/show/note.tsx'
import { Section } from '../../parts/show/page.tsx'
import type { Role } from '../../service/session.ts'

interface RowProps {
  readonly token: Token
  readonly now: number
  readonly isDisabled: boolean
  readonly onRevoke: () => void
}

const Row = ({ token, now, isDisabled, onRevoke }: RowProps): VNode => {
  const [isAsking, setAsking] = useState(false)
  const expiry = expiryOf(token, now)
  const acts = isAsking ? (
    <>
      <Button label="Keep" look="quiet small" autofocus onClick={() => setAsking(false)} />
      <Button look="danger small" disabled={isDisabled} aria-label={`Revoke ${token.name} for good`} onClick={onRevoke}>
        Revoke permanently
      </Button>
    </>
  ) : (
    <Button label="Revoke" look="quiet small" aria-label={`Revoke ${token.name}`} onClick={() => setAsking(true)} />
  )
  return (
    <tr>
      <td class="medium clip token-name">
        <bdi>{token.name}</bdi>
      </td>
      <td class="second">{roleTextOf(token.role)}</td>
      <td class="second num">{madeText(token, now)}</td>
      <td class="second num">
        <span class={expiry?.isExpiring ? 'warn' : ''}>{expiry?.text ?? 'never'}</span>
      </td>
      <td class="r">{acts}</td>
    </tr>
  )
}

const Table = ({ tokens, ...row }: Pick<RowProps, 'now' | 'isDisabled'> & TableProps): VNode => (
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
          <Row
            key={token._id}
            token={token}
            now={row.now}
            isDisabled={row.isDisabled}
            onRevoke={() => row.onRevoke(token)}
          />
        ))}
      </tbody>
    </table>
  </div>
)

interface TableProps {
  readonly tokens: readonly Token[]
  readonly onRevoke: (token: Token) => void
}

export const Tokens = ({ role }: { readonly role: Role }): VNode => {
  const page = usePage()
  const now = useComputed(() => Math.floor(page.clock.value / HOUR) * HOUR).value
  const isAnswered = page.control.isAnswered.value
  const [isAdding, setAdding] = useState(false)
  const [issued, setIssued] = useState<IssuedToken | undefined>(undefined)
  const { send, refused, isBusy } = useSending()
  const reading = useTokens('me')
  const { retry } = reading
  const onIssued = (token: IssuedToken): void => {
    setAdding(false)
    setIssued(token)
    retry()
  }
  const adding = useRef<HTMLButtonElement>(null)
  const revoke = async ({ _id }: Token): Promise<void> => {
    if ((await send(`/api/user/me/token/${_id}/revoke`)) !== undefined) {
      if (issued?._id === _id) setIssued(undefined)
      adding.current?.focus()
    }
    retry()
  }
  return (
    <Section
      title="Tokens"
      beside={
        <Button icon="plus" look="small" ref={adding} disabled={!isAnswered} onClick={() => setAdding(true)}>
          New token
        </Button>
      }
    >
      {issued !== undefined && (
        <SecretNote name={issued.name} secret={issued.token} ifLost="Revoke it and create another." />
      )}
      <RefusedNote refused={refused} />
      <Loaded reading={reading} what="The tokens">
        {(tokens) =>
          tokens.length === 0 ? (
            <p class="muted">No tokens yet. Scripts use a token instead of a password.</p>
          ) : (
            <Table tokens={tokens} now={now} isDisabled={isBusy || !isAnswered} onRevoke={revoke} />
          )
        }
      </Loaded>
      {isAdding && <TokenDialog userId="me" role={role} onIssued={onIssued} onClose={() => setAdding(false)} />}
    </Section>
  )
}
