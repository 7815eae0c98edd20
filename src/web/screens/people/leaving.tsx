import { useState } from 'preact/hooks'
import type { User } from '../../features/people/user.ts'
import { formatCount, formatDate } from '../../format/format.ts'
import { Button } from '../../parts/button.tsx'
import { CommandButton, Confirm, useCommand } from '../../parts/commands/command.tsx'
import { RefusedNote } from '../../parts/show/note.tsx'

interface Props {
  readonly user: User
  readonly onChanged: () => void
}

const pathOf = ({ _id }: User, verb: string): string => `/api/user/${encodeURIComponent(_id)}/${verb}`

/** `open` are the reservations that are not over; undefined until they were counted. */
export const Removal = ({ user, open, onChanged }: Props & { readonly open: number | undefined }) => {
  const command = useCommand()
  const [isAsking, setAsking] = useState(false)
  const remove = (reservations: 'cancel' | 'keep') => () =>
    command.send(pathOf(user, 'remove'), { body: { reservations } }, onChanged)
  const shared = { command, doing: 'Removing…', back: 'Back', onClose: () => setAsking(false) }
  return (
    <section class="part stack">
      <RefusedNote refused={command.refused} />
      {!isAsking && (
        <div>
          <Button
            look="danger"
            class="limited"
            disabled={command.isOff || open === undefined}
            onClick={() => setAsking(true)}
          >
            <span class="clip">
              Remove <bdi>{user.name.split(/\s/)[0]}</bdi>…
            </span>
          </Button>
        </div>
      )}
      {isAsking && open === 0 && (
        <Confirm {...shared} question={`Remove ${user.name}?`} action="Remove" onConfirm={remove('keep')} />
      )}
      {isAsking && open !== undefined && open > 0 && (
        <Confirm
          {...shared}
          question={`Remove ${user.name}, who has ${formatCount(open, 'open reservation')}?`}
          action="Cancel them"
          onConfirm={remove('cancel')}
          also={{ action: 'Keep them', doing: 'Removing…', onConfirm: remove('keep') }}
        />
      )}
    </section>
  )
}

export const Removed = ({ user, onChanged }: Props) => {
  const command = useCommand()
  const [isAsking, setAsking] = useState(false)
  const run = (verb: string) => () => command.send(pathOf(user, verb), undefined, onChanged)
  if (user.erased_at !== undefined)
    return <p class="second">Erased on {formatDate(Date.parse(user.erased_at))}. Histories show the id.</p>
  return (
    <div class="stack">
      <p class="second">
        Removed on {formatDate(Date.parse(user.removed_at ?? ''))}. Restored, the password is good again; tokens stay
        revoked.
      </p>
      <RefusedNote refused={command.refused} />
      {isAsking ? (
        <Confirm
          command={command}
          question={`Erase ${user.name} permanently? Histories will show the id.`}
          action="Erase"
          doing="Erasing…"
          onConfirm={run('erase')}
          back="Back"
          onClose={() => setAsking(false)}
        />
      ) : (
        <div class="row wrap">
          <CommandButton icon="repeat" label="Restore" look="primary" command={command} onPress={run('restore')} />
          <Button label="Erase…" look="danger" disabled={command.isOff} onClick={() => setAsking(true)} />
        </div>
      )}
    </div>
  )
}
