import type RFB from '@novnc/novnc'
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'

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
  if (isSent) return undefined
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const password = String(fields.get('password'))
    rfb.sendCredentials({ password, ...(isUserNameNeeded && { username: String(fields.get('username')) }) })
    setSent(true)
  }
  const focus = (field: HTMLElement | null): void => field?.focus()
  return (
    <div class="screen-over">
      <div class="dialog" role="dialog" aria-label="Machine password">
        <form class="stack" onSubmit={submit}>
          <h2>Password for {name}</h2>
          <p class="second">
            The machine asks for a password that Berth does not have. It is sent only to the machine.
          </p>
          {isUserNameNeeded && (
            <label class="field">
              <span class="label">Name</span>
              <input class="input" name="username" autocomplete="off" ref={focus} required />
            </label>
          )}
          <label class="field">
            <span class="label">Password</span>
            <input
              class="input"
              type="password"
              name="password"
              autocomplete="off"
              ref={isUserNameNeeded ? null : focus}
            />
          </label>
          <div class="row">
            <Button label="Connect" look="primary" type="submit" />
          </div>
        </form>
      </div>
    </div>
  )
}
