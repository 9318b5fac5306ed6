/** Closes every reply: what this is, and how to get more. */
export const offlineNotice =
  'This is the offline model, a small set of rules. To connect a real one, put OPENAI_API_KEY=… into .env of the service home, then run: svc model openai/gpt-5.6-sol'
