import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Mark } from '../../parts/icon.tsx'
import { Note } from '../../parts/show/note.tsx'
import type { SessionControl } from '../../service/session.ts'

const hasSingleSignOn = (): boolean => document.documentElement.dataset.singleSignOn !== undefined

interface Props {
  readonly control: SessionControl
}

const againText = (seconds: number): string => (seconds > 0 ? `Try again in ${seconds} s.` : 'Try again.')

/** Counts down; assistive technology is told once. */
const Again = ({ at }: { readonly at: number }) => {
  const left = (): number => Math.ceil((at - Date.now()) / 1_000)
  const [first] = useState(left)
  const [, redraw] = useState({})
  useEffect(() => {
    const timer = setInterval(() => redraw({}), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      <span class="vh">{againText(first)}</span>
      <span class="num" aria-hidden="true">
        {againText(left())}
      </span>
    </>
  )
}

const ErrorNote = ({ text, retryAt }: { readonly text: string; readonly retryAt: number | undefined }) => (
  <Note kind="danger">
    {text} {retryAt !== undefined && <Again key={retryAt} at={retryAt} />}
  </Note>
)

const EndedNote = () => <Note kind="info">Your session ended. Sign in to continue where you were.</Note>

const SingleSignOn = ({ control, isBusy }: Props & { readonly isBusy: boolean }) => (
  <>
    <Button icon="shield" label="Continue with single sign-on" disabled={isBusy} onClick={control.beginSingleSignOn} />
    <div class="or">or with a password</div>
  </>
)

const PasswordForm = ({ control, isBusy }: Props & { readonly isBusy: boolean }) => {
  const name = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    await control.signIn(name.current?.value ?? '', password.current?.value ?? '')
    if (password.current === null) return
    password.current.value = ''
    password.current.focus()
  }
  return (
    <form onSubmit={submit}>
      <Field id="name" label="Name">
        <input
          id="name"
          class="input"
          ref={name}
          name="name"
          autocomplete="username"
          maxlength={512}
          required
          autofocus
        />
      </Field>
      <Field id="password" label="Password">
        <input
          id="password"
          class="input"
          ref={password}
          name="password"
          type="password"
          autocomplete="current-password"
          maxlength={1024}
          required
        />
      </Field>
      <Button label="Sign in" look="primary" type="submit" disabled={isBusy} />
    </form>
  )
}

export const SignIn = ({ control }: Props) => {
  const { phase, error, retryAt, isBusy } = control.session.value
  return (
    <main class="gate">
      <div class="gate-box">
        <span class="brand" role="heading" aria-level={1}>
          <Mark />
          Berth
        </span>
        {phase === 'ended' && error === undefined && <EndedNote />}
        {hasSingleSignOn() && <SingleSignOn control={control} isBusy={isBusy} />}
        {error !== undefined && <ErrorNote text={error} retryAt={retryAt} />}
        <PasswordForm control={control} isBusy={isBusy} />
      </div>
      <footer class="row small muted">
        <span>{location.host}</span>
        <a href="/guide">Guide</a>
        <a href="/docs">API</a>
      </footer>
    </main>
  )
}
