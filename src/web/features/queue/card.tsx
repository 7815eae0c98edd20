import { useState } from 'preact/hooks'
import { OWN_REQUESTS } from '../../data/lists.ts'
import type { Match } from '../../data/objects.ts'
import { formatDuration, formatWhen } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { useMachineName, useOneReservation } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm, useCommand } from '../../parts/commands/command.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Note, RefusedNote } from '../../parts/show/note.tsx'
import { ReservedNote } from '../reserve/reserve-notes.tsx'
import { useRequest, type WaitingRequest } from './read.ts'
import { ordinalOf, sentenceHere, type Words, wordsOfRequest } from './wants.ts'

const Granted = ({ request }: { readonly request: WaitingRequest }) => {
  const page = usePage()
  const now = page.clock.value
  const reservation = useOneReservation(request.sut_reservation_id ?? '')
  const when = reservation === undefined ? 'now' : `until ${formatWhen(Date.parse(reservation.end_time), now)}`
  return <ReservedNote machine={reservation?.sut_name ?? 'A machine'} when={when} userId={request.user_id} />
}

const Waiting = ({ request, onWithdrawn }: { readonly request: WaitingRequest; readonly onWithdrawn: () => void }) => {
  const page = usePage()
  const now = page.clock.value
  const nameOf = useMachineName()
  const command = useCommand()
  const [isAsking, setAsking] = useState(false)
  const me = meOf(page)
  const mayWithdraw = me.role === 'administrator' || request.user_id === me._id
  const { _id, created_at, keepalive, position = 0, waits_for = [], expected_at, expires_at } = request
  const withdraw = () =>
    command.send(`/api/sut_request/${_id}/withdraw`, undefined, () => {
      onWithdrawn()
      page.cache.again(OWN_REQUESTS)
    })
  const [since, until] = [formatWhen(Date.parse(created_at), now), formatWhen(Date.parse(expires_at), now)]
  return (
    <article class="waits-card">
      <div class="list-row">
        <Icon name="queue" />
        <span class="row">
          <b class="medium clip">
            <Said words={wordsOfRequest(request, nameOf)} />
          </b>
        </span>
        <span class="when num" role="status">
          <b class="nowrap">{ordinalOf(position + 1)} in line</b>
          {typeof expected_at === 'string' && `, expected ${formatWhen(Date.parse(expected_at), now)}`}
        </span>
        {mayWithdraw && !isAsking && (
          <span class="row acts">
            <Button label="Leave" look="quiet small" disabled={command.isOff} onClick={() => setAsking(true)} />
          </span>
        )}
      </div>
      <details class="second small">
        <summary>Details</summary>
        <ul>
          <li>
            Waiting since {since}. Expires {until}.
          </li>
          {waits_for.map((sentence) => (
            <li key={sentence}>{sentenceHere(sentence, (time) => formatWhen(time, now))}</li>
          ))}
          {page.kept.has(_id) && (
            <li>Your place is kept while this page is open, and {formatDuration((keepalive ?? 0) * 1_000)} longer.</li>
          )}
        </ul>
      </details>
      {isAsking && (
        <Confirm
          question="Leave the queue? You will lose your place."
          action="Leave"
          back="Stay"
          doing="Leaving…"
          command={command}
          onConfirm={withdraw}
          onClose={() => setAsking(false)}
        />
      )}
      <RefusedNote refused={command.refused} />
    </article>
  )
}

const ENDED = { keepalive: 'It expired because the page was closed.', retired: 'The machine was retired.' }

const endingOf = ({ status, cause }: WaitingRequest): string => {
  if (status !== 'expired') return 'It was withdrawn.'
  return cause === undefined ? 'No machine was free in time.' : ENDED[cause]
}

export const RequestCard = ({ id }: { readonly id: string }) => {
  const reading = useRequest(id)
  return (
    <Loaded reading={reading} what="Your request" skeleton={1}>
      {(request) => {
        if (request.status === 'waiting') return <Waiting request={request} onWithdrawn={reading.retry} />
        if (request.status === 'granted') return <Granted request={request} />
        return (
          <Note kind="plain" icon="clock" role="status">
            {endingOf(request)}
          </Note>
        )
      }}
    </Loaded>
  )
}

export const Said = ({ words }: { readonly words: Words }) => (
  <span>{words.map((each) => (typeof each === 'string' ? each : <bdi>{each.name}</bdi>))}</span>
)

export interface Wanted {
  readonly of: { readonly match: Match } | { readonly sut_id: string }
  /** Milliseconds. */
  readonly length: number
  readonly userId: string
  /** Seconds to wait at most; a day unless given. */
  readonly wait?: number
  readonly priority?: number | undefined
  readonly keepalive?: number | undefined
}

/** Takes a place in the queue. `id` is the request that was made. */
export const useWaiting = () => {
  const page = usePage()
  const command = useCommand()
  const [id, setId] = useState<string | undefined>(undefined)
  const wait = async ({ of, length, userId, wait: seconds, priority, keepalive }: Wanted): Promise<void> => {
    const body = {
      ...{ ...of, user_id: userId, duration: Math.max(1, Math.round(length / 1_000)) },
      ...(seconds !== undefined && { wait: seconds }),
      ...(priority !== undefined && { priority }),
      ...(keepalive !== undefined && { keepalive }),
    }
    await command.send('/api/sut_request/create', { body }, ({ value: { _id } }) => {
      setId(_id)
      if (keepalive !== undefined) page.kept.keep(_id, keepalive)
      page.cache.again(OWN_REQUESTS)
    })
  }
  return { ...command, wait, id, reset: () => setId(undefined) }
}
