import { HELD, historyOf } from '../lab.ts'
import { startPythonLab, takeAway, inPython as test } from './lab.ts'

/**
 * Does with the file what the User Guide of Robot Framework says of static libraries: the class has the name of the
 * file and is made without arguments, its public methods are keywords, all arguments are texts, of which `name=value`
 * is named where the keyword has that name, and texts become what annotations say. Robot itself is not run.
 */
const ROBOT = `
import inspect, typing
library = getattr(berth, "berth")()
assert library.ROBOT_LIBRARY_SCOPE in ("TEST", "SUITE", "GLOBAL") and library.ROBOT_LISTENER_API_VERSION in (2, 3)
keywords = {name.replace("_", " ").title(): getattr(library, name) for name in dir(library)
            if not name.startswith(("_", "ROBOT_")) and inspect.isroutine(getattr(library, name))}
say(sorted(keywords))
def run(name, *args):
    keyword = keywords[name]
    hints, named, positional = typing.get_type_hints(keyword), {}, []
    for arg in args:
        key, is_named, value = arg.partition("=") if isinstance(arg, str) else ("", "", "")
        if is_named and key in inspect.signature(keyword).parameters:
            named[key] = float(value) if hints[key] is float else value
        else:
            assert not named, "positional argument after named"
            positional.append(arg)
    return keyword(*positional, **named)
`

test('Robot Framework finds the keywords, reserves by texts, and the end of the suite gives back what is left', async (t) => {
  const lab = await startPythonLab(t, 2)
  const running = lab.run(
    t,
    `${ROBOT}
machine = run("Reserve Machine", "sut_type=tcp", "tag.n=1", "minutes=45", "keepalive=30s")
say(machine.host, machine.port > 0, machine.sut["name"])
run("Release Machine", machine)
for args in ([], ["os"]):
    try:
        run("Reserve Machine", *args)
    except berth.Misuse as error:
        say(error)
machine = run("Reserve Machine", "tag.n=2")
say("held")
machine.lost.wait()
try:
    run("Release Machine")
except berth.Lost:
    say("lost")
run("Reserve Machine", "tag.n=2")
library.ROBOT_LIBRARY_LISTENER._close()
`,
  )
  await running.said('held\n')
  await takeAway(lab, 2)
  const { out, errors } = await running.ended
  const [keywords, ...said] = out.trim().split('\n')
  t.is(keywords, "['Release Machine', 'Reserve Machine']", errors)
  const wrong = 'Reserve Machine must be like os=windows, tag.rack=3,4 or os!'
  t.deepEqual(said, ['127.0.0.1 True lab-1', 'match is missing', wrong, 'held', 'lost'])
  t.deepEqual(await historyOf(lab, 1), HELD)
  t.deepEqual(await historyOf(lab, 2), [...HELD, ...HELD])
})
