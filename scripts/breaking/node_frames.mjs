// A reporter of node:test that writes each failure with its stacks, a line of JSON each.
// Of an error that the application throws itself there are none: what it stumbled over did not surface there.
const MISSED = [TypeError, RangeError, ReferenceError];

function isOwn(error) {
  const innermost = error.stack.split("\n").find((line) => /^\s+at /.test(line)) ?? "";
  const inside = innermost.includes(`${process.cwd()}/`) && !innermost.includes("/node_modules/");
  return inside && !MISSED.some((kind) => error instanceof kind);
}

export default async function* report(source) {
  for await (const event of source) {
    if (event.type !== "test:fail") continue;
    const cause = event.data.details.error.cause;
    const errors = [cause, cause?.actual].filter((error) => typeof error?.stack === "string" && !isOwn(error));
    yield JSON.stringify({ path: event.data.file, title: event.data.name, stacks: errors.map((error) => error.stack) }) + "\n";
  }
}
