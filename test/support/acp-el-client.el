;;; Plays acts with acp.el, a line of JSON for each: emacs -Q --batch -L <acp.el> -l acp-el-client.el <acts.json> <command> ...  -*- lexical-binding: t; -*-
;; An act names what is done (`do') and is answered with what was heard meanwhile.
(require 'acp)
(require 'json)
(require 'map)

(defvar acts (json-parse-string (with-temp-buffer (insert-file-contents (pop command-line-args-left)) (buffer-string))
                                :object-type 'alist :array-type 'list))
(defvar client (acp-make-client :command (car command-line-args-left) :command-params (cdr command-line-args-left)
                                :context-buffer (current-buffer)))
(setq command-line-args-left nil)
(defvar session nil)
(defvar said "")
(defvar thought "")
(defvar ends nil)
(defvar questions 0)
(defvar act nil)

(defun cancel-at (sign)
  (when (equal (map-elt act 'cancelAt) sign)
    (setf (map-elt act 'cancelAt) nil)
    (acp-send-notification :client client :notification (acp-make-session-cancel-notification :session-id session))))

(acp-subscribe-to-notifications
 :client client
 :on-notification
 (lambda (notification)
   (let* ((update (map-nested-elt notification '(params update)))
          (kind (map-elt update 'sessionUpdate))
          (text (map-nested-elt update '(content text)))
          (status (map-elt update 'status)))
     (cond ((equal kind "agent_message_chunk") (setq said (concat said text)) (cancel-at "text"))
           ((equal kind "agent_thought_chunk") (setq thought (concat thought text)))
           ((equal kind "user_message_chunk") (setq said (concat said "> " text "\n"))))
     (when (member status '("completed" "failed")) (push status ends))
     (when (equal status "in_progress") (cancel-at "tool")))))

(acp-subscribe-to-requests
 :client client
 :on-request
 (lambda (request)
   (setq questions (1+ questions))
   (let* ((wanted (map-elt act 'permission))
          (option (seq-find (lambda (one) (equal (map-elt one 'kind) wanted)) (map-nested-elt request '(params options)))))
     (cancel-at "question")
     (acp-send-response
      :client client
      :response (if option
                    (acp-make-session-request-permission-response :request-id (map-elt request 'id)
                                                                  :option-id (map-elt option 'optionId))
                  (acp-make-session-request-permission-response :request-id (map-elt request 'id) :cancelled t))))))

(defun ask (request) (acp-send-request :client client :request request :sync t))

(defun play ()
  (let ((value (map-elt act 'value)))
    (pcase (map-elt act 'do)
      ("initialize" (ask (acp-make-initialize-request :protocol-version 1)))
      ("new" (let ((answer (ask (acp-make-session-new-request :cwd value))))
               (setq session (map-elt answer 'sessionId))
               answer))
      ("use" (setq session value) nil)
      ("prompt" (let ((request (acp-make-session-prompt-request :session-id session :prompt (vconcat (map-elt act 'prompt)))))
                  (ask request)))
      ("mode" (ask (acp-make-session-set-mode-request :session-id session :mode-id value)))
      ("option" (ask (acp-make-session-set-config-option-request
                      :session-id session :config-id (map-elt act 'option) :value value)))
      ("list" (ask (acp-make-session-list-request :cwd value)))
      ("load" (ask (acp-make-session-load-request :session-id session :cwd value)))
      ("delete" (ask (acp-make-session-delete-request :session-id session))))))

(dolist (one acts)
  (setq act one said "" thought "" ends nil questions 0)
  (let* ((answer (condition-case problem (list 'answer (play)) (error (list 'error (error-message-string problem)))))
         (heard `((,(car answer) . ,(or (cadr answer) :null))
                  (said . ,said) (thought . ,thought) (ends . ,(vconcat (reverse ends))) (questions . ,questions))))
    (princ (concat (json-encode heard) "\n"))))
(acp-shutdown :client client)
