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
import { useSending } from '../../page/sending.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/commands/confirm.tsx'
import { RefusedNote } from '../../parts/show/note.tsx'

interface Props {
  readonly user: User
  readonly isAnswered: boolean
}

const expiryText = (token: Token, now: number): string => {
  const expiry = expiryOf(token, now)
  if (expiry === undefined) return 'never expires'
  return expiry.isExpiring ? `expires ${expiry.text}` : `until ${expiry.text}`
}

export const PersonTokens = ({ user, isAnswered }: Props): VNode => {
  const { clock } = usePage()
  const now = useComputed(() => Math.floor(clock.value / HOUR) * HOUR).value
  const path = encodeURIComponent(user._id)
  const reading = useTokens(path)
  const { retry } = reading
  const { send, refused } = useSending()
  const [isAdding, setAdding] = useState(false)
  const [issued, setIssued] = useState<IssuedToken | undefined>(undefined)
  const [asked, setAsked] = useState<string | undefined>(undefined)
  const adding = useRef<HTMLButtonElement>(null)
  const revoke = async (id: string): Promise<void> => {
    if ((await send(`/api/user/${path}/token/${id}/revoke`)) !== undefined) {
      if (issued?._id === id) setIssued(undefined)
      adding.current?.focus()
    }
    setAsked(undefined)
    retry()
  }
  const row = (token: Token): VNode =>
    asked === token._id ? (
      <Confirm
        key={token._id}
        question={`Revoke ${token.name}? Whatever uses it stops working right away.`}
        action="Revoke"
        doing="Revoking…"
        isDisabled={!isAnswered}
        onConfirm={() => revoke(token._id)}
        onBack={() => setAsked(undefined)}
      />
    ) : (
      <div class="row" key={token._id}>
        <span class="grow medium clip">
          <bdi>{token.name}</bdi>
        </span>
        <span class={expiryOf(token, now)?.isExpiring ? 'warn nowrap' : 'muted nowrap'}>{expiryText(token, now)}</span>
        <Button
          look="quiet small"
          aria-label={`Revoke ${token.name}`}
          disabled={!isAnswered}
          onClick={() => setAsked(token._id)}
        >
          Revoke
        </Button>
      </div>
    )
  const onIssued = (token: IssuedToken): void => {
    setIssued(token)
    setAdding(false)
    retry()
  }
  return (
    <section class="part">
      <div class="section-head">
        <h3 class="grow">Tokens</h3>
        <Button icon="plus" look="quiet small" ref={adding} disabled={!isAnswered} onClick={() => setAdding(true)}>
          New token
        </Button>
      </div>
      <div class="stack small">
        {issued !== undefined && (
          <SecretNote name={issued.name} secret={issued.token} ifLost="Revoke it and create another." />
        )}
        <RefusedNote refused={refused} />
        <Loaded reading={reading} what="The tokens">
          {(tokens) => (tokens.length === 0 ? <span class="muted">None</span> : tokens.map(row))}
        </Loaded>
      </div>
      {isAdding && <TokenDialog userId={path} role={user.role} onIssued={onIssued} onClose={() => setAdding(false)} />}
    </section>
  )
}
