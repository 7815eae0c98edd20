import { useState } from 'preact/hooks'
import { OWN_REQUESTS } from '../../data/lists.ts'
import type { Match } from '../../data/objects.ts'
import { usePage } from '../../page/context.ts'
import { useCommand } from '../../parts/commands/command.tsx'

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
