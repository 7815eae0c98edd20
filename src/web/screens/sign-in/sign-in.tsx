import { useState } from 'preact/hooks'
import { usePage } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { type Command, useCommand } from '../../parts/commands/command.tsx'
import { Field } from '../../parts/field.tsx'
import { Mark } from '../../parts/icon.tsx'
import { Note } from '../../parts/show/note.tsx'
import { messageOf } from '../../service/session.ts'

const againText = (seconds: number): string => (seconds > 0 ? `Try again in ${seconds} s.` : 'Try again.')

/** Counts down; assistive technology is told once. */
const Again = ({ seconds }: { readonly seconds: number }) => {
  const { clock } = usePage()
  const [at] = useState(() => clock.peek() + seconds * 1_000)
  return (
    <>
      <span class="vh">{againText(seconds)}</span>
      <span class="num" aria-hidden="true">
        {againText((at - clock.value) / 1_000)}
      </span>
    </>
  )
}

const PasswordForm = ({ command }: { readonly command: Command }) => {
  const { control } = usePage()
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const { elements } = event.currentTarget as HTMLFormElement
    const [name, password] = ['name', 'password'].map((each) => elements.namedItem(each) as HTMLInputElement)
    if (name === undefined || password === undefined) return
    await command.run(() => control.signIn(name.value, password.value))
    password.value = ''
    password.focus()
  }
  const field = (name: string, label: string, more: object) => (
    <Field id={name} label={label}>
      <input id={name} class="input" name={name} required {...more} />
    </Field>
  )
  return (
    <form onSubmit={submit}>
      {field('name', 'Name', { autocomplete: 'username', maxlength: 512, autofocus: true })}
      {field('password', 'Password', { type: 'password', autocomplete: 'current-password', maxlength: 1024 })}
      <Button label="Sign in" look="primary" type="submit" disabled={command.isBusy} />
    </form>
  )
}

export const SignIn = () => {
  const { control } = usePage()
  const { phase, error } = control.session.value
  const command = useCommand()
  const { refused, isBusy } = command
  const text = refused ? messageOf(refused) : error
  return (
    <main class="gate">
      <div class="gate-box">
        <span class="brand" role="heading" aria-level={1}>
          <Mark />
          Berth
        </span>
        {phase === 'ended' && text === undefined && (
          <Note kind="info">Your session ended. Sign in to continue where you were.</Note>
        )}
        {document.documentElement.dataset.singleSignOn !== undefined && (
          <>
            <Button
              icon="shield"
              label="Continue with single sign-on"
              disabled={isBusy}
              onClick={() => command.run(control.beginSingleSignOn)}
            />
            <div class="or">or with a password</div>
          </>
        )}
        {text !== undefined && !isBusy && (
          <Note kind="danger">
            {text} {refused?.problem.code === 'too_many_attempts' && <Again seconds={refused.retryAfter ?? 60} />}
          </Note>
        )}
        <PasswordForm command={command} />
      </div>
      <footer class="row small muted">
        <span>{location.host}</span>
        <a href="/guide">Guide</a>
        <a href="/docs">API</a>
      </footer>
    </main>
  )
}
