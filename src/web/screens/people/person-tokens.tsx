import { useComputed } from '@preact/signals'
import type { VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { SecretNote } from '../../features/people/secret-note.tsx'
import { TokenDialog } from '../../features/people/token-dialog.tsx'
import { expiryOf, type IssuedToken, type Token, useTokens } from '../../features/people/tokens.ts'
import type { User } from '../../features/people/user.ts'
import { HOUR } from '../../format/times.ts'
import { usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/commands/confirm.tsx'
import { type Command, useCommand } from '../../parts/commands/use-command.ts'
import { useFocusReturn } from '../../parts/focus.ts'
import { RefusedNote } from '../../parts/show/note.tsx'

interface Props {
  readonly user: User
}

const expiryText = (token: Token, now: number): string => {
  const expiry = expiryOf(token, now)
  if (expiry === undefined) return 'never expires'
  return expiry.isExpiring ? `expires ${expiry.text}` : `until ${expiry.text}`
}

interface RowProps {
  readonly token: Token
  readonly now: number
  readonly command: Command
  readonly onRevoke: () => Promise<unknown>
}

const Row = ({ token, now, command, onRevoke }: RowProps): VNode => {
  const [isAsking, setAsking] = useState(false)
  const row = useRef<HTMLDivElement>(null)
  useFocusReturn(row, 'Revoke')
  return (
    <div ref={row}>
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
          <span class="grow medium clip">
            <bdi>{token.name}</bdi>
          </span>
          <span class={expiryOf(token, now)?.isExpiring ? 'warn nowrap' : 'muted nowrap'}>
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
    </div>
  )
}

export const PersonTokens = ({ user }: Props): VNode => {
  const { clock } = usePage()
  const now = useComputed(() => Math.floor(clock.value / HOUR) * HOUR).value
  const path = encodeURIComponent(user._id)
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
  return (
    <section class="part">
      <div class="section-head">
        <h3 class="grow">Tokens</h3>
        <Button icon="plus" look="quiet small" disabled={command.isOff} onClick={() => setAdding(true)}>
          New token
        </Button>
      </div>
      <div class="stack small">
        {issued !== undefined && (
          <SecretNote name={issued.name} secret={issued.token} ifLost="Revoke it and create another." />
        )}
        <RefusedNote refused={command.refused} />
        <Loaded reading={reading} what="The tokens">
          {(tokens) =>
            tokens.length === 0 ? (
              <span class="muted">None</span>
            ) : (
              tokens.map((token) => (
                <Row key={token._id} {...{ token, now, command }} onRevoke={() => revoke(token._id)} />
              ))
            )
          }
        </Loaded>
      </div>
      {isAdding && <TokenDialog userId={path} role={user.role} onIssued={onIssued} onClose={() => setAdding(false)} />}
    </section>
  )
}
