import type { VNode } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { User } from '../../features/people/user.ts'
import { formatCount, formatDate } from '../../format/format.ts'
import { useSending } from '../../page/sending.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/commands/confirm.tsx'
import { RefusedNote } from '../../parts/show/note.tsx'

interface Props {
  readonly user: User
  readonly isAnswered: boolean
  readonly onChanged: () => void
}

const pathOf = ({ _id }: User, verb: string): string => `/api/user/${encodeURIComponent(_id)}/${verb}`

const Ask = ({
  question,
  isDisabled,
  onRemove,
  onBack,
}: {
  readonly question: string
  readonly isDisabled: boolean
  readonly onRemove: (reservations: 'cancel' | 'keep') => void
  readonly onBack: () => void
}): VNode => {
  const first = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  return (
    <div class="stack">
      <span role="alert">{question}</span>
      <div class="row wrap">
        <Button label="Cancel them" look="danger" disabled={isDisabled} onClick={() => onRemove('cancel')} />
        <Button label="Keep them" look="danger" disabled={isDisabled} onClick={() => onRemove('keep')} />
        <Button label="Back" ref={first} onClick={onBack} />
      </div>
    </div>
  )
}

export const Removal = ({ user, open, isAnswered, onChanged }: Props & { readonly open: number }): VNode => {
  const { send, refused, isBusy } = useSending()
  const [isAsking, setAsking] = useState(false)
  const isDisabled = isBusy || !isAnswered
  const remove = async (reservations: 'cancel' | 'keep'): Promise<void> => {
    if ((await send(pathOf(user, 'remove'), { reservations })) !== undefined) onChanged()
    setAsking(false)
  }
  const back = (): void => setAsking(false)
  const question = (): VNode =>
    open === 0 ? (
      <Confirm
        question={`Remove ${user.name}?`}
        action="Remove"
        doing="Removing…"
        isDisabled={!isAnswered}
        onConfirm={() => remove('keep')}
        back="Back"
        onBack={back}
      />
    ) : (
      <Ask
        question={`Remove ${user.name}, who has ${formatCount(open, 'open reservation')}?`}
        isDisabled={isDisabled}
        onRemove={remove}
        onBack={back}
      />
    )
  return (
    <section class="part stack">
      <RefusedNote refused={refused} />
      {isAsking ? (
        question()
      ) : (
        <div>
          <Button look="danger" class="limited" disabled={isDisabled} onClick={() => setAsking(true)}>
            <span class="clip">
              Remove <bdi>{user.name.split(/\s/)[0]}</bdi>…
            </span>
          </Button>
        </div>
      )}
    </section>
  )
}

export const Removed = ({ user, isAnswered, onChanged }: Props): VNode => {
  const { send, refused, isBusy } = useSending()
  const [isAsking, setAsking] = useState(false)
  const isDisabled = isBusy || !isAnswered
  const run = async (verb: string): Promise<void> => {
    if ((await send(pathOf(user, verb))) !== undefined) onChanged()
    setAsking(false)
  }
  if (user.erased_at !== undefined)
    return <p class="second">Erased on {formatDate(Date.parse(user.erased_at))}. Histories show the id.</p>
  return (
    <div class="stack">
      <p class="second">
        Removed on {formatDate(Date.parse(user.removed_at ?? ''))}. Restored, the password is good again; tokens stay
        revoked.
      </p>
      <RefusedNote refused={refused} />
      {isAsking ? (
        <Confirm
          question={`Erase ${user.name} permanently? Histories will show the id.`}
          action="Erase"
          doing="Erasing…"
          isDisabled={!isAnswered}
          onConfirm={() => run('erase')}
          back="Back"
          onBack={() => setAsking(false)}
        />
      ) : (
        <div class="row wrap">
          <Button icon="repeat" look="primary" disabled={isDisabled} onClick={() => run('restore')}>
            Restore
          </Button>
          <Button label="Erase…" look="danger" disabled={isDisabled} onClick={() => setAsking(true)} />
        </div>
      )}
    </div>
  )
}
