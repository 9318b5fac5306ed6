/** More than anybody uses in turn; ids come from callers, so that there may be any number of them. */
const mostKept = 100

/** Makes the SDK's object for a model once: each new one builds its schemas anew, a tenth of what a turn allocates. */
export function modelsById<Model>(make: (modelId: string) => Model): (modelId: string) => Model {
  const made = new Map<string, Model>()
  return (modelId) => {
    const known = made.get(modelId)
    if (known) return known
    if (made.size === mostKept) made.clear()
    const model = make(modelId)
    made.set(modelId, model)
    return model
  }
}
