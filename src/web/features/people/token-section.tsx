import { useComputed } from '@preact/signals'
import { useRef, useState } from 'preact/hooks'
import { HOUR } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { Button } from '../../parts/button.tsx'
import { type Command, Confirm, useCommand } from '../../parts/commands/command.tsx'
import { useFocusReturn } from '../../parts/focus.ts'
import { RefusedNote } from '../../parts/show/note.tsx'
import { Section } from '../../parts/show/page.tsx'
import type { Role } from '../../service/session.ts'
import { SecretNote } from './secret-note.tsx'
import { TokenDialog } from './token-dialog.tsx'
import { expiryText, type IssuedToken, isExpiring, madeText, type Token, useTokens } from './tokens.ts'
import { roleTextOf } from './user.ts'

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
