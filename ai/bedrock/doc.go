// Package bedrock speaks Amazon Bedrock's ConverseStream (the api
// "bedrock-converse-stream").
//
// # Usage
//
// A [Client] has an [ai.StreamFunc]; the zero value is ready. It reads nothing before it is
// asked, and the account's configuration once:
//
//	var client bedrock.Client
//	stream := client.Stream(ctx, &ai.Request{
//		Model:   &ai.Model{ID: "us.anthropic.claude-opus-4-6-v1", API: bedrock.API, Provider: "amazon-bedrock"},
//		Context: ai.Context{Messages: messages},
//	})
//
// # Who asks
//
// A key of the request, or AWS_BEARER_TOKEN_BEDROCK, is sent as a bearer token. Without
// one the request is signed (Signature Version 4) with what the AWS SDK finds: AWS_PROFILE
// and the shared files, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a web identity, the
// role of a container or of a machine. AWS_BEDROCK_SKIP_AUTH=1 sends neither, for proxies
// that sign themselves; so does an Authorization header of the model or the options.
//
// # Where
//
// The region is the one in the model's id, if that is an ARN; AWS_REGION;
// AWS_DEFAULT_REGION; that of AWS_PROFILE; the one in the model's BaseURL; that of the
// default profile; us-east-1. A BaseURL that is no address of AWS is asked as it is.
// AWS_ENDPOINT_URL_BEDROCK_RUNTIME replaces AWS's own address.
//
// # What an answer becomes
//
// Text, reasoning and tool uses become blocks. The signature of thinking is the service's
// own; withheld thinking keeps its data there in base64. The response's id is that of the
// request (x-amzn-requestid).
//
// # Families
//
// Claude thinks and keeps prompts in caches, the other families are sent neither. Which
// Claude it is stands in the model's id or name. From 4.6 on a model thinks adaptively
// with an effort, before that with a budget. AWS_BEDROCK_FORCE_CACHE=1 caches whatever the
// model is called (names and rules: Pi 0.85).
//
// # Failures
//
// An HTTP error and an exception inside the stream are an [*ai.StatusError] in the final
// message's Err; a stream that ends before messageStop wraps [io.ErrUnexpectedEOF].
package bedrock
