import { useComputed } from '@preact/signals'
import { useState } from 'preact/hooks'
import type { SutRequest } from '../../data/objects.ts'
import { formatNumber, formatWhen, midnightOf } from '../../format/format.ts'
import { meOf, usePage } from '../../page/context.ts'
import { linkTo } from '../../page/location.ts'
import { useMachines } from '../../page/use-timeline.ts'
import { Button } from '../../parts/button.tsx'
import { wordsOfRequest } from './wants.ts'
import { Said } from './words.tsx'

const FIRST = 20
const MORE = 100

export const QueueTable = ({ queue }: { readonly queue: readonly SutRequest[] }) => {
  const page = usePage()
  // Drawn again when the day changes, not with every tick: a queue may be long.
  const today = useComputed(() => midnightOf(page.clock.value)).value
  const suts = useMachines()
  const ownId = meOf(page)._id
  const nameOf = (id: string): string => suts.get(id)?.name ?? id
  // Of a long queue one sees its beginning, and oneself.
  const [most, setMost] = useState(FIRST)
  const rows = queue.map((request, n) => ({ request, place: n + 1, isOwn: request.user_id === ownId }))
  const shown = rows.filter(({ place, isOwn }) => place <= most || isOwn)
  const left = rows.length - shown.length
  return (
    <div>
      <table class="table plain queue">
        <thead>
          <tr>
            <th class="r" style={{ '--w': '28px' }}>
              #
            </th>
            <th style={{ '--w': '33%' }}>Who</th>
            <th>Wants</th>
            <th class="r" style={{ '--w': '80px' }}>
              Until
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ request, place, isOwn }) => (
            <tr key={request._id} class={isOwn ? 'medium' : ''}>
              <td class="r">{place}</td>
              <td class="clip">{isOwn ? <a href={linkTo('mine')}>You</a> : <bdi>{request.user_name}</bdi>}</td>
              <td class="second wants">
                <Said words={wordsOfRequest(request, nameOf)} />
              </td>
              <td class="r">{formatWhen(Date.parse(request.expires_at), today)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <div class="row small">
          <span class="muted grow">{formatNumber(left)} more waiting.</span>
          <Button label="Show more" look="quiet small" onClick={() => setMost(most + MORE)} />
        </div>
      )}
    </div>
  )
}
