/** The example of docs/configuration.md, which explains it below. */
export const configExampleText = `{
  "agents": {
    "list": {
      "assistant": {
        "name": "Robin",
        "instructions": "Answer in English. My family: Kim, Alex and the dog Rex.",
        "fallbacks": ["claude-sonnet-5-5", "local"]
      },
      "reader": {
        "model": "local",
        "tools": ["read", "list", "find"],
        "maxOutputTokens": 2000
      }
    }
  },
  "models": {
    "default": "gpt",
    "aliases": {
      "gpt": "openai/gpt-5.6-sol",
      "local": "ollama/qwen3:8b"
    },
    "providers": {
      "ollama": {"timeoutMs": 600000}
    }
  },
  "gateway": {"port": 18790, "concurrency": 2},
  "dashboard": {"token": "\${SVC_TOKEN}"},
  "sandbox": {"allowedFolders": ["workspace", "~/Documents/notes"]},
  "budgets": {"perDayUsd": 5, "turnMinutes": 10},
  "logging": {"level": "warn"}
}`
