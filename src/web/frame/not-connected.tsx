import { useEffect } from 'preact/hooks'
import { formatSecond } from '../format/format.ts'
import { usePage } from '../page/context.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'

const RETRY_INTERVAL_MS = 10_000

export const NotConnected = () => {
  const { control } = usePage()
  const [isAnswered, answeredAt] = [control.isAnswered.value, control.answeredAt.value]
  // A proxy, or a service that is not ready, may have answered: then it is still not known who is signed in.
  const isReached = isAnswered && control.session.value.phase !== 'unreachable'
  useEffect(() => {
    if (isReached) return undefined
    const timer = setInterval(() => void control.check(), RETRY_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isReached])
  if (isAnswered) return undefined
  return (
    <div class="row banner" role="alert">
      <Icon name="plug" />
      <span>
        <b class="medium">Not connected since {formatSecond(answeredAt)}.</b> You see the lab as it was then. Reserving
        is paused until Berth responds.
      </span>
      <span class="grow" />
      <Button label="Try now" look="small" onClick={control.check} />
    </div>
  )
}
