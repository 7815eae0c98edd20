import type RFB from '@novnc/novnc'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { useFields } from '../../parts/commands/fields.tsx'

const NO_ERRORS: ReadonlyMap<string, string> = new Map()

/** Asks for the password of a machine for which Berth has none. It goes to the machine and is kept nowhere. */
export const Credentials = ({
  name,
  rfb,
  isUserNameNeeded,
}: {
  readonly name: string
  readonly rfb: RFB
  readonly isUserNameNeeded: boolean
}) => {
  const [isSent, setSent] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const { values, text } = useFields('machine', { username: '', password: '' }, NO_ERRORS)
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), [])
  if (isSent) return undefined
  const submit = (event: Event): void => {
    event.preventDefault()
    rfb.sendCredentials({ password: values.password, ...(isUserNameNeeded && { username: values.username }) })
    setSent(true)
  }
  return (
    <div class="screen-over">
      <div class="dialog" role="dialog" aria-label="Machine password">
        <form class="stack" ref={form} onSubmit={submit}>
          <h2>Password for {name}</h2>
          <p class="second">
            The machine asks for a password that Berth does not have. It is sent only to the machine.
          </p>
          {isUserNameNeeded && text('username', 'Name', { required: true })}
          {text('password', 'Password', { type: 'password' })}
          <div class="row">
            <Button label="Connect" look="primary" type="submit" />
          </div>
        </form>
      </div>
    </div>
  )
}
